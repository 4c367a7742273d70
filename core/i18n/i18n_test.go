package i18n

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Both languages say everything, with the same arguments, and no key is there
// twice.
func TestParity(t *testing.T) {
	verb := regexp.MustCompile(`%\[\d+\][a-z]|%.`)
	seen := map[string]bool{}
	for _, e := range slices.Concat(notices(), questions(), run(), setup(), acp()) {
		if seen[e.key] {
			t.Errorf("%s is there twice", e.key)
		}
		seen[e.key] = true
		if e.en == "" || e.zh == "" {
			t.Errorf("%s: a language is missing", e.key)
		}
		en, zh := verb.FindAllString(e.en, -1), verb.FindAllString(e.zh, -1)
		slices.Sort(en)
		slices.Sort(zh)
		if d := cmp.Diff(en, zh); d != "" {
			t.Errorf("%s: different arguments: -en +zh\n%s", e.key, d)
		}
		if strings.Contains(e.en, "%") && verbs(e.en) != len(slices.Compact(en)) {
			t.Errorf("%s: arguments are not numbered from 1", e.key)
		}
	}
}

func TestMatch(t *testing.T) {
	for tag, want := range map[string]string{
		"": English, "en": English, "C.UTF-8": English, "fr-FR": English, "zhx": English,
		"zh": Chinese, "zh-CN": Chinese, "zh_CN.UTF-8": Chinese, "zh.UTF-8": Chinese, "ZH-hans": Chinese,
	} {
		if got := Match(tag); got != want {
			t.Errorf("Match(%q) = %s, want %s", tag, got, want)
		}
	}
}

func TestT(t *testing.T) {
	for _, c := range []struct{ lang, key, want string }{
		{"en", "phase.tool", "running bash"},
		{"zh_CN.UTF-8", "phase.tool", "正在运行 bash"},
		{"en", "no.such", "no.such"},
	} {
		if got := T(c.lang, c.key, "bash"); got != c.want {
			t.Errorf("T(%s, %s) = %q, want %q", c.lang, c.key, got, c.want)
		}
	}
}

func TestANoticeOfANewerVersionStaysEnglish(t *testing.T) {
	for _, c := range []struct {
		code string
		args []string
		want string
	}{
		{"cost_estimated", []string{"m"}, "m 不报告 token 用量，费用上限按估算计"},
		{"cost_estimated", []string{"m", "more"}, "english"},
		{"of_tomorrow", nil, "english"},
	} {
		if got := Notice("zh", c.code, c.args, "english"); got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}
