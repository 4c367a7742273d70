// Package i18n holds the sentences a person reads in the chat, the browser, in
// notices and in questions, in English and Chinese. Events carry a code with its
// arguments and the English text; a front end asks here for the user's language
// and keeps the English when a code is new to it. Help, errors of commands, logs
// and text for the model are English and not here. The package reads no
// environment; the configuration says which language it is.
package i18n

import (
	"fmt"
	"strings"
	"sync"
)

// The languages there are.
const (
	English = "en"
	Chinese = "zh-CN"
)

// entry is one sentence in every language, side by side, so that none is
// forgotten. Arguments are numbered verbs (%[1]s), because word order differs.
type entry struct{ key, en, zh string }

var table = sync.OnceValue(func() map[string]entry {
	m := map[string]entry{}
	for _, area := range [][]entry{notices(), questions(), run(), setup(), acp()} {
		for _, e := range area {
			m[e.key] = e
		}
	}
	return m
})

// Match returns the language for a tag such as zh, zh_CN.UTF-8 or en-GB; English
// when there is no better one.
func Match(tag string) string {
	tag = strings.ToLower(strings.ReplaceAll(tag, "_", "-"))
	if tag == "zh" || strings.HasPrefix(tag, "zh-") || strings.HasPrefix(tag, "zh.") {
		return Chinese
	}
	return English
}

// T returns the sentence of key in a language (as Match takes it) with its
// arguments filled in. An unknown key comes back as it is; Lookup tells.
func T(lang, key string, args ...any) string {
	text, ok := Lookup(lang, key, args...)
	if !ok {
		return key
	}
	return text
}

// Lookup is T that reports whether the key is known, for codes that a newer
// version may have written.
func Lookup(lang, key string, args ...any) (string, bool) {
	e, ok := table()[key]
	if !ok {
		return "", false
	}
	text := e.en
	if Match(lang) == Chinese {
		text = e.zh
	}
	if len(args) == 0 {
		return text, true
	}
	return fmt.Sprintf(text, args...), true
}

// Notice returns the sentence of a Notice event in a language, or its English
// text when the code is unknown or the arguments do not fit.
func Notice(lang, code string, args []string, english string) string {
	e, ok := table()["notice."+code]
	if !ok || verbs(e.en) != len(args) {
		return english
	}
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a
	}
	return T(lang, e.key, values...)
}

// verbs counts the arguments a sentence takes: the highest number in it.
func verbs(text string) int {
	n := 0
	for i := 1; strings.Contains(text, fmt.Sprintf("%%[%d]", i)); i++ {
		n = i
	}
	return n
}
