package shape

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	// MaxName is the most bytes a tool name may have; endpoints refuse longer ones.
	MaxName = 64

	prefix    = "mcp__"
	separator = "__"
	// maxServer leaves every tool at least 25 bytes of the name.
	maxServer = 32
	hashLong  = 8 // hexadecimal digits of a suffix
)

// Servers gives each configured server the part of a name that stands for it: at
// most 32 bytes of [a-zA-Z0-9_-], different for different servers. It must be
// given all of them, those that are down or untrusted too, so that the part of one
// does not depend on which others run. The parts of a group do not depend on the
// groups after it: whoever declares the servers of those cannot rename a server of
// this one. A name of several groups belongs to the first. No part contains "__" or
// begins or ends with "_", so the first "__" behind "mcp__" is where the tool begins
// and names of two servers never meet.
func Servers(groups ...[]string) map[string]string {
	names, taken := map[string]string{}, map[string]int{}
	for _, group := range groups {
		unique(names, taken, group, maxServer, serverPart)
	}
	return names
}

// Names gives each tool of one server the name the model knows it by:
// mcp__part__tool, at most MaxName bytes of [a-zA-Z0-9_-]. server is the part from
// Servers. A tool whose own name is legal and fits keeps it. What is cut, has lost
// a letter or a digit, or would meet another one ends in a hash of the server's own
// name for it, so that the result depends on the set of names and not on their
// order. The map is one to one: its inverse leads back to the server's name.
func Names(server string, tools []string) map[string]string {
	head := prefix + server + separator
	names := map[string]string{}
	unique(names, map[string]int{}, tools, MaxName-len(head), toolPart)
	for raw, part := range names {
		names[raw] = head + part
	}
	return names
}

// Name is the name of a tool as long as neither its server nor the tool meets
// another of the same name; where all are known, Servers and Names are right.
func Name(server, tool string) string {
	part := Servers([]string{server})[server]
	return Names(part, []string{tool})[tool]
}

// Split takes a name of Names apart: the server's part and what stands for the tool.
func Split(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, separator)
	return server, tool, ok && server != "" && tool != ""
}

// A part is a name made legal. whole says that no letter or digit was lost.
type part struct {
	text  string
	whole bool
}

// unique adds a legal name of at most room bytes for each raw one that has none in
// names; taken are the legal ones. What is legal as it stands goes first, so that an
// odd name never takes a plain one's place.
func unique(names map[string]string, taken map[string]int, raws []string, room int, legal func(string) part) {
	raws = slices.DeleteFunc(slices.Clone(raws), func(raw string) bool {
		_, done := names[raw]
		return done
	})
	slices.Sort(raws)
	raws = slices.Compact(raws)
	wanted := make(map[string]part, len(raws))
	for _, raw := range raws {
		p := legal(raw)
		wanted[raw] = p
		if p.whole && p.text == raw && len(raw) <= room && taken[raw] == 0 {
			names[raw] = raw
			taken[raw]++
		}
	}
	// Odd names that would meet each other all get a hash, whichever came first.
	odd := map[string]int{}
	for _, raw := range raws {
		if _, done := names[raw]; !done {
			odd[wanted[raw].text]++
		}
	}
	for _, raw := range raws {
		if _, done := names[raw]; done {
			continue
		}
		p := wanted[raw]
		name := p.text
		if !p.whole || len(name) > room || taken[name] > 0 || odd[name] > 1 {
			name = hashed(p.text, raw, room, taken)
		}
		names[raw] = name
		taken[name]++
	}
}

// hashed ends text in a hash of raw, a longer one while that name is taken.
func hashed(text, raw string, room int, taken map[string]int) string {
	sum := sha256.Sum256([]byte(raw))
	digits := hex.EncodeToString(sum[:])
	for n := hashLong; ; n++ {
		keep := max(0, room-n-1)
		name := strings.TrimRight(text[:min(len(text), keep)], "_-") + "_" + digits[:min(n, room-1)]
		name = strings.TrimLeft(name, "_")
		if taken[name] == 0 || n >= min(room-1, len(digits)) {
			return name
		}
	}
}

// toolPart keeps a legal name as it is.
func toolPart(raw string) part {
	if raw != "" && strings.IndexFunc(raw, illegal) < 0 {
		return part{raw, true}
	}
	return fold(raw)
}

// serverPart keeps a legal name too, unless it would hide where the tool begins.
func serverPart(raw string) part {
	p := toolPart(raw)
	text := strings.Trim(p.text, "_")
	for strings.Contains(text, separator) {
		text = strings.ReplaceAll(text, separator, "_")
	}
	return part{text, p.whole && text != ""}
}

// fold writes accented letters without their accents and every run of anything
// else that is not legal as one "_".
func fold(raw string) part {
	var b strings.Builder
	whole := raw != ""
	gap := false
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(raw, "\uFFFD")) {
		switch {
		case !illegal(r):
			if gap {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r): // the accent of the letter before it
		default:
			gap = true
			whole = whole && !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != unicode.ReplacementChar
		}
	}
	if gap && b.Len() > 0 {
		b.WriteByte('_')
	}
	text := strings.TrimRight(b.String(), "_")
	return part{text, whole && strings.Trim(text, "_-") != ""}
}

func illegal(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
}
