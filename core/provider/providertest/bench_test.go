package providertest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"reasonix/core/provider/providertest"
)

// BenchmarkLoop is what the server itself costs in a session of 200 calls: 201
// requests, each with the whole conversation so far.
func BenchmarkLoop(b *testing.B) {
	const calls = 200
	bodies := make([]string, 0, calls+1)
	messages := `{"role":"user","content":"go"}`
	for i := range calls + 1 {
		bodies = append(bodies, `{"model":"m","stream":true,"messages":[`+messages+`]}`)
		id := fmt.Sprintf("c%d", i)
		messages += "," + asked(id+`=read_file={"path":"a.txt"}`) +
			fmt.Sprintf(`,{"role":"tool","tool_call_id":%q,"content":%q}`, id, strings.Repeat("text ", 200))
	}
	for b.Loop() {
		s := providertest.New(b)
		s.Respond(func(*providertest.Received) providertest.Reply { return providertest.Text("on") })
		for _, body := range bodies {
			resp, err := http.Post(chat(s), "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		s.CheckPrefix(b)
		s.Close()
	}
}
