package file

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// jsonText is a valid JSON text whose values are looked at where they stand, so
// that a part of it can be changed and the rest kept as it is written.
type jsonText string

// member is one key and value of an object.
type member struct {
	key   string
	name  span // of the key with its quotes
	value span
}

// blank passes over white space.
func (t jsonText) blank(i int) int {
	for i < len(t) && (t[i] == ' ' || t[i] == '\t' || t[i] == '\n' || t[i] == '\r') {
		i++
	}
	return i
}

// value is the span of the value at i.
func (t jsonText) value(i int) span {
	start := t.blank(i)
	depth := 0
	for i = start; i < len(t); {
		switch t[i] {
		case '"':
			i = t.text(i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth--; depth < 0 {
				return span{start, i}
			}
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return span{start, i}
			}
			i++
			continue
		default:
			for i < len(t) && !strings.ContainsRune(",:]} \t\r\n", rune(t[i])) {
				i++
			}
		}
		if depth == 0 {
			return span{start, i}
		}
	}
	return span{start, len(t)}
}

// text passes over the string at i.
func (t jsonText) text(i int) int {
	for i++; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(t)
}

// members lists those of the object at the span; none when it is no object.
func (t jsonText) members(at span) []member {
	if at.start >= at.end || t[at.start] != '{' {
		return nil
	}
	var list []member
	for i := t.blank(at.start + 1); i < at.end-1; {
		m := member{name: t.value(i)}
		_ = json.Unmarshal([]byte(t[m.name.start:m.name.end]), &m.key)
		i = t.blank(m.name.end) + 1 // the colon
		m.value = t.value(i)
		list = append(list, m)
		if i = t.blank(m.value.end); i < at.end-1 && t[i] == ',' {
			i = t.blank(i + 1)
		}
	}
	return list
}

// items lists those of the array at the span; none when it is no array.
func (t jsonText) items(at span) []span {
	if at.start >= at.end || t[at.start] != '[' {
		return nil
	}
	var list []span
	for i := t.blank(at.start + 1); i < at.end-1; {
		item := t.value(i)
		list = append(list, item)
		if i = t.blank(item.end); i < at.end-1 && t[i] == ',' {
			i = t.blank(i + 1)
		}
	}
	return list
}

// get is the member with the key. Of several, the last counts, as for most
// readers.
func get(list []member, key string) (member, bool) {
	for _, m := range slices.Backward(list) {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

// decode reads the value at a span into dst and reports whether it fits.
func (t jsonText) decode(at span, dst any) bool {
	return json.Unmarshal([]byte(t[at.start:at.end]), dst) == nil
}

// jsonStyle is how a JSON text is laid out.
type jsonStyle struct {
	newline string // "" when all is on one line
	unit    string // one step of indentation
	colon   string
	comma   string // between values on one line
	ascii   bool   // other characters are escaped
}

// style looks at the first members of the top object.
func (t jsonText) style(top []member) jsonStyle {
	s := jsonStyle{newline: "\n", unit: " ", colon: ": ", comma: ", ", ascii: true}
	raw := 0
	for i := range len(t) {
		if t[i] >= 0x80 {
			raw++
		}
	}
	s.ascii = raw == 0 && escapesWide(string(t))
	if len(top) == 0 {
		return s
	}
	s.colon = string(t[top[0].name.end:top[0].value.start])
	lead := string(t[t.blank(0)+1 : top[0].name.start])
	s.newline, s.unit = splitLead(lead)
	if len(top) > 1 && s.newline == "" {
		s.comma = string(t[top[0].value.end:top[1].name.start])
	}
	return s
}

// splitLead parts the blanks before a value into line end and indentation.
func splitLead(lead string) (newline, indent string) {
	i := strings.LastIndexByte(lead, '\n')
	if i < 0 {
		return "", ""
	}
	return endAt(lead, i), lead[i+1:]
}

// escapesWide reports whether text writes characters beyond ASCII as escapes.
func escapesWide(text string) bool {
	for {
		i := strings.Index(text, `\u`)
		if i < 0 || len(text) < i+6 {
			return false
		}
		before := text[:i]
		escaped := (len(before)-len(strings.TrimRight(before, `\`)))%2 == 0
		if hex := text[i+2 : i+6]; escaped && (!strings.HasPrefix(hex, "00") || hex[2] > '7') {
			return true
		}
		text = text[i+2:]
	}
}

// quote writes s as a JSON string.
func (s jsonStyle) quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || s.ascii && r >= 0x7f && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case s.ascii && r >= 0x10000:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// list writes values between brackets, those on lines of their own one step
// deeper than indent.
func (s jsonStyle) list(brackets string, indent string, values []string) string {
	if len(values) == 0 {
		return brackets
	}
	open, between, end := "", s.comma, ""
	if s.newline != "" {
		open = s.newline + indent + s.unit
		between, end = ","+open, s.newline+indent
	}
	return brackets[:1] + open + strings.Join(values, between) + end + brackets[1:]
}
