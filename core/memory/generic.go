package memory

import (
	"strings"
	"sync"
	"unicode"
)

// goOn are the words and phrases that tell to go on, agree or thank, in several
// languages. A prompt of nothing else has nothing to recall for.
var goOn = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for phrase := range strings.SplitSeq(`continue,continue please,go,on,ahead,proceed,carry on,keep going,keep,going,resume,next,next step,more,
yes,y,yep,yeah,yup,sure,ok,okay,k,kk,fine,good,great,nice,perfect,cool,right,correct,agreed,exactly,absolutely,definitely,alright,all right,
no,n,nope,stop,wait,please,pls,thanks,thank you,thank,thx,ty,you,do,it,that,this,so,then,and,now,just,again,retry,try,try again,finish,finish it,
looks,lgtm,sounds,done,approved,confirm,confirmed,accept,accepted,with,the,rest,work,hi,hello,hey,
weiter,mach,ja,nein,bitte,danke,gut,passt,oui,non,continuez,continue,merci,si,sí,sigue,continúa,adelante,gracias,vale,да,нет,дальше,продолжай,спасибо,хорошо,
继续,请继续,接着,接着做,继续做,继续吧,下一步,下一个,好,好的,好吧,好呀,好啊,行,行吧,可以,可以了,没问题,对,对的,是,是的,嗯,嗯嗯,哦,明白,明白了,知道了,收到,
同意,确认,没错,不,不用,不是,不对,停,等等,谢谢,多谢,辛苦了,请,吧,了,做吧,开始,开始吧,再试,再试一次,重试,再来,再来一次,完成,就这样,按你说的做,你好,
繼續,請繼續,接著,沒問題,對,對的,謝謝,はい,いいえ,続けて,お願いします,ありがとう,次,オーケー,네,아니요,계속,계속해,계속해주세요,좋아,좋아요,감사합니다`, ",") {
		set[strings.TrimSpace(phrase)] = true
	}
	return set
})

// longestGeneric is how many words a prompt that only tells to go on may have.
const longestGeneric = 8

// Generic reports whether a prompt only tells to go on: "continue", "yes, please",
// "继续吧", or no word at all. Nothing is recalled for it.
func Generic(prompt string) bool {
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	if len(words) > longestGeneric {
		return false
	}
	if goOn()[strings.Join(words, " ")] {
		return true
	}
	for _, w := range words {
		if !isNumber(w) && !made([]rune(w)) {
			return false
		}
	}
	return true
}

// isNumber reports whether a word only picks from a list: "2", "10".
func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" && len(word) < 4 }

// made reports whether a word is one of the phrases, or several of them written
// without spaces between, as in Chinese.
func made(word []rune) bool {
	if goOn()[string(word)] {
		return true
	}
	if len(word) > 2*longestGeneric || word[0] < 0x2E80 { // before it scripts have spaces
		return false
	}
	reach := make([]bool, len(word)+1)
	reach[0] = true
	for end := 1; end <= len(word); end++ {
		for start := range end {
			reach[end] = reach[end] || reach[start] && goOn()[string(word[start:end])]
		}
	}
	return reach[len(word)]
}
