package memory

import (
	"strings"
	"sync"

	"reasonix/core/retrieval"
)

// common are words, and pairs of Chinese characters, that say nothing of what a
// text is about.
var common = sync.OnceValue(func() map[string]bool {
	return setOf(`a about above again all also am an and any anything are as ask at be because been before below
but by can could day did do does doing done each else even ever every everything few first fix for from get give go
had has have having he help her here him his how however if in into is it its just know let like look make may maybe me
might more most much must my need new no nor not now of off ok on once one only onto or other our out over own please
put run same say see shall she should show so some something still such sure take tell than thank that the their them then
there these they thing think this those time to too try two under until up us use using very want was way we well were
what when where which while who why will with within without would write yes yet you your
一个 一下 一些 不是 不要 什么 他们 你们 你的 可以 可能 如何 如果 已经 应该 怎么 怎样 我们 我的 我要 所有 所以 把它 是否 有没 没有
现在 看看 觉得 请你 请帮 帮我 这个 这些 这里 那个 那些 还是 还有 进行 需要 为什 么办 么样 个是 的是 一样 时候 因为 但是 然后 或者 的话 给我 想要 我想`)
})

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// terms are the words that text is about, each once, in their order: English ones
// without the commonest endings, so that "tests" finds "test".
func terms(text string) []string {
	var list []string
	seen := map[string]bool{}
	for _, t := range retrieval.Tokens(text) {
		if common()[t.Term] {
			continue
		}
		if w := stem(t.Term); !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// stemmed is text as the index takes it, every occurrence of a word in it.
func stemmed(text string) string {
	var b strings.Builder
	for _, t := range retrieval.Tokens(text) {
		if !common()[t.Term] {
			b.WriteString(stem(t.Term) + " ")
		}
	}
	return b.String()
}

// stem takes an ending off an English word that stays long enough to be one.
func stem(word string) string {
	for _, r := range word {
		if r < 'a' || r > 'z' {
			return word
		}
	}
	const least = 4
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > least+1:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ing") && len(word) >= least+3:
		return word[:len(word)-3]
	case strings.HasSuffix(word, "ed") && len(word) >= least+2:
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && len(word) >= least && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}
