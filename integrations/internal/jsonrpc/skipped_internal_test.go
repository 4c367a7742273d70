package jsonrpc

import (
	"strings"
	"testing"
)

func TestSkippedMessagesAreKnownByTheirID(t *testing.T) {
	for line, want := range map[string]struct {
		id       string
		response bool
	}{
		`{"id":7,"result":{}}`:                                 {"7", true},
		`{"result":{"id":8,"x":["id",{"id":9}]},"id" : 7 }`:    {"7", true},
		`{"id":"a\",\"b","error":{"message":"\"}"}}`:           {`"a\",\"b"`, true},
		`{"x":"\"id\":5","id":7,"method":"m"}`:                 {"7", false},
		`{"method":"m","params":{"id":1}}`:                     {"null", false},
		`{"id":1,"id":2}`:                                      {"2", true},
		`{"id":{"a":1},"x":2}`:                                 {"null", false},
		`{"id":` + strings.Repeat("7", 2*mostName) + `}`:       {"null", false},
		`{"` + strings.Repeat("k", 2*mostName) + `":1,"id":3}`: {"3", true},
		`[{"id":1}]`: {"null", false},
		`"id":1`:     {"null", false},
		`{"n":1,"t":true,"e":[],"o":{},"id":-1.5e3,"z":"\\"}`:  {"-1.5e3", true},
		`{"content":"` + strings.Repeat(`\\`, 9) + `","id":4}`: {"4", true},
		`}}}{"id":1`: {"null", false},
	} {
		for _, size := range []int{1, 3, len(line)} {
			var s skipped
			for at := 0; at < len(line); at += size {
				s.feed([]byte(line[at:min(at+size, len(line))]))
			}
			if id, response := s.of(); string(id) != want.id || response != want.response {
				t.Errorf("%.60s in parts of %d: %s %v, want %s %v", line, size, id, response, want.id, want.response)
			}
		}
	}
}
