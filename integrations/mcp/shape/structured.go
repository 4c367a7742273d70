package shape

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
)

// minBase64 is the shortest run of characters that is looked at as base64.
const minBase64 = 1024

// structured adds structured content, unless what was said has all of it.
func (s *shaper) structured(v any) {
	data, err := encode(v)
	if v == nil || err != nil || string(data) == "null" {
		return
	}
	tree, ok := parse(string(data))
	if !ok || s.mirrored(tree) {
		return
	}
	if data, err = encode(s.withoutCopies(tree)); err == nil {
		s.blocks = append(s.blocks, s.withoutBase64(string(data)))
	}
}

// withoutCopies puts the words for encoded bytes that came as content in their
// place, however short they are.
func (s *shaper) withoutCopies(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		for key, one := range v {
			v[key] = s.withoutCopies(one)
		}
	case []any:
		for i, one := range v {
			v[i] = s.withoutCopies(one)
		}
	case string:
		if said, ok := s.came(v); ok {
			return "[" + oneLine(said) + " (as above)]"
		}
	}
	return tree
}

// mirrored tells whether the text has every value of tree. Servers repeat
// structured content as JSON, as one string, or as prose around long values;
// encoded bytes that came as content count too. A short value that merely occurs
// somewhere proves nothing.
func (s *shaper) mirrored(tree any) bool {
	const provesItself, searches = 8, 200 // bytes of a value; values looked for in prose
	exact := map[string]bool{}
	for _, text := range s.said {
		exact[text] = true
		if v, ok := parse(text); ok {
			for _, leaf := range values(v, nil) {
				exact[leaf] = true
			}
		}
	}
	said, searched := strings.Join(s.said, "\n"), 0
	leaves := values(tree, nil)
	for _, leaf := range leaves {
		if _, came := s.came(leaf); came || exact[leaf] || s.kinds[leaf] {
			continue
		}
		searched++
		if len(leaf) < provesItself || searched > searches || !strings.Contains(said, leaf) {
			return false
		}
	}
	return len(leaves) > 0 || len(s.blocks) > 0
}

func parse(text string) (v any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v) == nil && !d.More()
}

// came returns the words for bytes that are kept when a string is their encoding.
func (s *shaper) came(leaf string) (said string, ok bool) {
	if i := strings.Index(leaf, ";base64,"); strings.HasPrefix(leaf, "data:") && i > 0 {
		leaf = leaf[i+len(";base64,"):]
	}
	data, ok := decodeBase64(leaf)
	if !ok {
		return "", false
	}
	said, ok = s.saved[string(data)]
	return said, ok
}

// values lists the scalars of a tree as they would be written in a text.
func values(v any, all []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			all = values(one, all)
		}
	case []any:
		for _, one := range v {
			all = values(one, all)
		}
	case string:
		all = append(all, v)
	case json.Number:
		// The SDK has read structured content with the precision of a float.
		f, err := v.Float64()
		if err != nil {
			return append(all, v.String())
		}
		all = append(all, strconv.FormatFloat(f, 'g', -1, 64))
	case bool:
		all = append(all, map[bool]string{true: "true", false: "false"}[v])
	}
	return all
}

// withoutBase64 puts the words for encoded bytes in their place. They are long runs
// of the alphabet in which upper case, lower case and digits all occur, and which
// decode.
func (s *shaper) withoutBase64(text string) string {
	if len(text) < minBase64 {
		return text
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if !base64Byte(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && base64Byte(text[end]) {
			end++
		}
		if data, ok := decodeBase64(text[i:end]); ok && end-i >= minBase64 {
			b.WriteString(text[done:i])
			b.WriteString("[" + oneLine(s.keep(pictureType(data), "base64", "", data)) + "]")
			done = end
		}
		i = end
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

func base64Byte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// decodeBase64 decodes either alphabet, padded or not.
func decodeBase64(run string) ([]byte, bool) {
	var upper, lower, digit bool
	for i := 0; i < len(run) && !(upper && lower && digit); i++ {
		upper = upper || 'A' <= run[i] && run[i] <= 'Z'
		lower = lower || 'a' <= run[i] && run[i] <= 'z'
		digit = digit || '0' <= run[i] && run[i] <= '9'
	}
	if len(run) >= minBase64 && !(upper && lower && digit) {
		return nil, false
	}
	run = strings.TrimRight(run, "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	data, err := enc.DecodeString(run)
	return data, err == nil && len(data) > 0
}
