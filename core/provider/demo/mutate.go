package demo

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// kinds are the small mistakes people make in shell code, undone: each gives the
// lines that a line may have been meant to be. They are in the order in which
// they are worth trying.
var kinds = []func(line string) []string{comparisons, arithmetic, counts, parameters, pairs, offByOne, quotes}

// replaced is line with the bytes from at to end replaced.
func replaced(line string, at, end int, by string) string { return line[:at] + by + line[end:] }

var otherTests = map[string][]string{
	"-lt": {"-gt", "-le"}, "-gt": {"-lt", "-ge"}, "-le": {"-ge", "-lt"}, "-ge": {"-le", "-gt"},
	"-eq": {"-ne"}, "-ne": {"-eq"}, "=": {"!="}, "==": {"!="}, "!=": {"="}, "-z": {"-n"}, "-n": {"-z"},
}

var test = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|\s)(\[{1,2}|test)\s`) })

// comparisons turns the operators of tests around.
func comparisons(line string) []string {
	if !test().MatchString(line) {
		return nil
	}
	var out []string
	for _, w := range words(line) {
		for _, other := range otherTests[line[w[0]:w[1]]] {
			out = append(out, replaced(line, w[0], w[1], other))
		}
	}
	return out
}

// words are the places of what blanks separate.
func words(line string) [][]int { return word().FindAllStringIndex(line, -1) }

var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\S+`) })

var otherOperators = map[string][]string{
	"+": {"-"}, "-": {"+"}, "*": {"/"}, "/": {"*"}, "%": {"/"},
	"<": {">", "<="}, ">": {"<", ">="}, "<=": {">=", "<"}, ">=": {"<=", ">"},
	"==": {"!="}, "!=": {"=="}, "&&": {"||"}, "||": {"&&"},
}

var operator = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<=|>=|==|!=|&&|\|\||[-+*/%<>]`) })

// arithmetic exchanges the operators within $(( )).
func arithmetic(line string) []string {
	var out []string
	for _, span := range sums(line) {
		for _, at := range operator().FindAllStringIndex(line[span[0]:span[1]], -1) {
			from, end := span[0]+at[0], span[0]+at[1]
			for _, other := range otherOperators[line[from:end]] {
				out = append(out, replaced(line, from, end, other))
			}
		}
	}
	return out
}

// sums are the places of what stands within (( )).
func sums(line string) [][2]int {
	var out [][2]int
	for at := 0; ; {
		open := strings.Index(line[at:], "((")
		if open < 0 {
			return out
		}
		first := at + open + 2
		depth, end := 2, first
		for ; end < len(line) && depth > 0; end++ {
			switch line[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if depth > 0 {
			return out
		}
		out = append(out, [2]int{first, end - 2})
		at = end
	}
}

func withoutArithmetic(line string) string {
	spans := sums(line)
	for i := len(spans) - 1; i >= 0; i-- {
		line = replaced(line, spans[i][0], spans[i][1], "")
	}
	return line
}

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^\w$#{.&])(\d{1,9})($|[^\w.>}])`) })

// counts takes whole numbers one up and one down.
func counts(line string) []string {
	var out []string
	for at := 0; at < len(line); {
		m := number().FindStringSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		from, end := at+m[4], at+m[5]
		n, _ := strconv.Atoi(line[from:end]) // up to nine digits
		out = append(out, replaced(line, from, end, strconv.Itoa(n+1)))
		if n > 0 {
			out = append(out, replaced(line, from, end, strconv.Itoa(n-1)))
		}
		at = end
	}
	return out
}

var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?([1-9])`) })

// parameters takes a neighbour of an argument.
func parameters(line string) []string {
	var out []string
	for _, m := range parameter().FindAllStringSubmatchIndex(line, -1) {
		n := int(line[m[2]] - '0')
		for _, other := range []int{n + 1, n - 1} {
			if other >= 1 && other <= 9 {
				out = append(out, replaced(line, m[2], m[3], strconv.Itoa(other)))
			}
		}
	}
	return out
}

var (
	others = map[string][]string{
		"head": {"tail"}, "tail": {"head"}, "upper": {"lower"}, "lower": {"upper"}, "true": {"false"}, "false": {"true"},
		"first": {"last"}, "last": {"first"}, "&&": {"||"}, "||": {"&&"}, "$*": {"$@"}, "$@": {"$*"}, "a-z": {"A-Z"}, "A-Z": {"a-z"},
	}
	pair = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:head|tail|upper|lower|true|false|first|last|a-z|A-Z)\b|&&|\|\||\$[*@]`)
	})
	otherTrims = map[string][]string{"#": {"##", "%"}, "##": {"#", "%%"}, "%": {"%%", "#"}, "%%": {"%", "##"}}
	trim       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{(?:\w+|[*@])(##?|%%?)`) })
)

// pairs takes the opposite of words that come in pairs, and the other ways to
// trim a value.
func pairs(line string) []string {
	var out []string
	for _, m := range trim().FindAllStringSubmatchIndex(line, -1) {
		for _, other := range otherTrims[line[m[2]:m[3]]] {
			out = append(out, replaced(line, m[2], m[3], other))
		}
	}
	for _, m := range pair().FindAllStringIndex(line, -1) {
		for _, other := range others[line[m[0]:m[1]]] {
			out = append(out, replaced(line, m[0], m[1], other))
		}
	}
	return out
}

// offByOne adds one to a sum, and takes one from it.
func offByOne(line string) []string {
	var out []string
	for _, span := range sums(line) {
		for _, by := range []string{" + 1", " - 1"} {
			out = append(out, replaced(line, span[1], span[1], by))
		}
	}
	return out
}

var (
	bare   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[\s=])(\$(?:\w+|[*@#]|\{[^}]*\}))`) })
	single = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'([^'"]*\$[^'"]*)'`) })
)

// quotes puts them around a value that has none, and takes the kind that lets a
// value in.
func quotes(line string) []string {
	var out []string
	for _, m := range single().FindAllStringSubmatchIndex(line, -1) {
		out = append(out, replaced(line, m[0], m[1], `"`+line[m[2]:m[3]]+`"`))
	}
	for _, m := range bare().FindAllStringSubmatchIndex(line, -1) {
		if strings.Count(line[:m[4]], `"`)%2 == 0 && strings.Count(line[:m[4]], `'`)%2 == 0 {
			out = append(out, replaced(line, m[4], m[5], `"`+line[m[4]:m[5]]+`"`))
		}
	}
	return out
}
