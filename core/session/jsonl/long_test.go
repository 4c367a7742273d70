package jsonl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/event"
	"reasonix/core/session"
)

// tooLong is more than any line of a journal has.
const tooLong = 70 << 20

// A hole or junk that is longer than any line costs the records on its line at most, in
// every way there is to look at a journal, and the session goes on.
func TestALineThatIsTooLongIsDamage(t *testing.T) {
	const records = 6
	for name, put := range map[string]func(t *testing.T, path string){
		"a hole in the middle": func(t *testing.T, path string) { splice(t, path, make([]byte, tooLong)) },
		"junk in the middle": func(t *testing.T, path string) {
			splice(t, path, []byte(strings.Repeat("junk", tooLong/4)+"\n"))
		},
		"a hole at the end": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			noErr(t, err)
			noErr(t, os.Truncate(path, info.Size()+tooLong))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newJournal(t, notes(1, records)...)
			put(t, filepath.Join(dir, string(id)+".jsonl"))
			_ = os.Remove(filepath.Join(dir, string(id)+".idx"))
			rep, err := s.Check(t.Context(), id)
			noErr(t, err)
			if rep.Records != records || len(rep.Damages) != 1 || rep.Last != records {
				t.Fatalf("check: %d records, damage %+v", rep.Records, rep.Damages)
			}
			if d := rep.Damages[0]; d.Kind == session.DamageTorn && !strings.Contains(d.Reason, fmt.Sprint(tooLong)) {
				t.Errorf("the reason: %s", d.Reason)
			}
			const fork event.SessionID = "20260102-150406-a1b2c3"
			noErr(t, s.Copy(t.Context(), id, 0, session.Meta{ID: fork}))
			for _, one := range []event.SessionID{fork, id} {
				l, err := s.Open(t.Context(), one)
				noErr(t, err)
				noErr(t, l.Append(note(records+1)))
				noErr(t, l.Close())
				n := 0
				for _, err := range s.Read(t.Context(), one, 0) {
					if err == nil {
						n++
					}
				}
				if n != records+1 {
					t.Errorf("%s: %d records", one, n)
				}
			}
			if _, err := s.Repair(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			rep, err = s.Check(t.Context(), id)
			noErr(t, err)
			if rep.Records != records+1 || len(rep.Damages) != 0 {
				t.Errorf("repaired: %d records, damage %+v", rep.Records, rep.Damages)
			}
		})
	}
}

// splice puts text between the fourth record and the fifth.
func splice(t *testing.T, path string, text []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	noErr(t, err)
	at := 0
	for range 5 {
		at += strings.IndexByte(string(data[at:]), '\n') + 1
	}
	f, err := os.Create(path)
	noErr(t, err)
	for _, part := range [][]byte{data[:at], text, data[at:]} {
		_, err := f.Write(part)
		noErr(t, err)
	}
	noErr(t, f.Close())
}
