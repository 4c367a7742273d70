package slash_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/slash"
)

func TestSubstitutionIsExactAndOnce(t *testing.T) {
	for _, c := range []struct{ template, args, want string }{
		{"Focus on $ARGUMENTS.", "a  b   c", "Focus on a b c."},
		{"[$1][$2][$3]", "a b", "[a][b][]"},
		{"$10 $1", "a b c d e f g h i j", "j a"},
		{"$10", "a", ""},
		{"cost: $$5", "a", "cost: $5"},
		{"$$1 $$ARGUMENTS $$$1", "x", "$1 $ARGUMENTS $x"},
		{"$1 and $2", "$2 $1", "$2 and $1"},
		{"$ARGUMENTS", "$$ $ARGUMENTS $1", "$$ $ARGUMENTS $1"},
		{"$0 $01 $x ${1} $", "a", "$0 $01 $x ${1} $"},
		{"$arguments $ARGUMENT", "a", "$arguments $ARGUMENT"},
		{"${ARGUMENTS}", "a", "${ARGUMENTS}"},
		{"$ARGUMENTSx", "a", "ax"},
		{"$1$2$1", "a b", "aba"},
		{"$99999999999999999999", "a", ""},
		{"<$ARGUMENTS>", "", "<>"},
		{"<$1|$2>", "line1\nline2\tx  y", "<line1\nline2\tx|y>"},
		{"no place", "a b", "no place"},
		{"日$1本", "字", "日字本"},
		{"", "a", ""},
	} {
		got, err := slash.Expand(c.template, c.args)
		if err != nil || got != c.want {
			t.Errorf("%q with %q: got %q, %v, want %q", c.template, c.args, got, err, c.want)
		}
	}
}

func TestExpansionIsBounded(t *testing.T) {
	if _, err := slash.Expand(strings.Repeat("$ARGUMENTS", 1000), strings.Repeat("x", 10<<10)); err == nil {
		t.Error("10 MB were made")
	}
	if got, err := slash.Expand("$1", strings.Repeat("x", slash.MaxText)); err != nil || len(got) != slash.MaxText {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// FuzzExpand compares with the rule as one would write it down.
func FuzzExpand(f *testing.F) {
	f.Add("a $1 $$ $ARGUMENTS $22", "x $1 y")
	f.Add("$", "")
	f.Add("$$$1$", "  ")
	f.Fuzz(func(t *testing.T, template, args string) {
		got, err := slash.Expand(template, args)
		if err != nil {
			return
		}
		if want := slow(template, args); got != want {
			t.Errorf("%q with %q: got %q, want %q", template, args, got, want)
		}
	})
}

func slow(template, args string) string {
	var given []string
	for _, a := range strings.Split(args, " ") {
		if a != "" {
			given = append(given, a)
		}
	}
	var out []byte
	for i := 0; i < len(template); i++ {
		rest := template[i:]
		switch {
		case strings.HasPrefix(rest, "$$"):
			out = append(out, '$')
			i++
		case strings.HasPrefix(rest, "$ARGUMENTS"):
			out = append(out, strings.Join(given, " ")...)
			i += len("ARGUMENTS")
		case len(rest) > 1 && rest[0] == '$' && rest[1] >= '1' && rest[1] <= '9':
			n := 0
			for i+1 < len(template) && template[i+1] >= '0' && template[i+1] <= '9' {
				n = min(n*10+int(template[i+1]-'0'), 1<<30)
				i++
			}
			if n <= len(given) {
				out = append(out, given[n-1]...)
			}
		default:
			out = append(out, rest[0])
		}
	}
	return string(out)
}

func TestArgumentsKeepTheRest(t *testing.T) {
	for _, c := range []struct {
		args string
		n    int
		want []string
	}{
		{"", -1, nil},
		{"  ", 2, nil},
		{"a  b   c", -1, []string{"a", "b", "c"}},
		{"a  b   c ", 2, []string{"a", "b   c"}},
		{" a b\n\n    c", 2, []string{"a", "b\n\n    c"}},
		{"a\tb c", 3, []string{"a\tb", "c"}},
		{"a  b", 1, []string{"a  b"}},
		{"a b", 0, nil},
	} {
		if diff := cmp.Diff(c.want, slash.Arguments(c.args, c.n)); diff != "" {
			t.Errorf("Arguments(%q, %d): %s", c.args, c.n, diff)
		}
	}
}
