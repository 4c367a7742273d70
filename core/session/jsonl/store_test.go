package jsonl_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reasonix/core/event"
	"reasonix/core/session"
	"reasonix/core/session/jsonl"
)

const id event.SessionID = "20260102-150405-a1b2c3"

var created = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func meta() session.Meta {
	return session.Meta{ID: id, Workspace: "/work", Created: created, Writer: "reasonix 1.0"}
}

// note is a small event with number seq.
func note(seq event.Seq) event.Envelope {
	return event.Envelope{
		Seq: seq, Time: created.Add(time.Duration(seq) * time.Second), Turn: 1,
		Payload: event.Notice{Level: event.LevelInfo, Code: "n", Text: fmt.Sprintf("note <%d> \"&\"", seq)},
	}
}

func notes(from, to event.Seq) []event.Envelope {
	var all []event.Envelope
	for seq := from; seq <= to; seq++ {
		all = append(all, note(seq))
	}
	return all
}

// newJournal makes a session with the given events and returns its directory.
func newJournal(t testing.TB, events ...event.Envelope) (*jsonl.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sessions")
	s := jsonl.New(dir, jsonl.Options{})
	l, err := s.Create(t.Context(), meta())
	noErr(t, err)
	noErr(t, l.Append(events...))
	noErr(t, l.Close())
	return s, dir
}

func noErr(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// readAll splits what Read yields into events and damage; another error is fatal.
func readAll(t testing.TB, s session.Store, after event.Seq) ([]event.Envelope, []session.Damage) {
	t.Helper()
	var events []event.Envelope
	var damage []session.Damage
	for e, err := range s.Read(context.Background(), id, after) {
		if d, ok := errors.AsType[*session.DamageError](err); ok {
			damage = append(damage, d.Damage)
			continue
		}
		noErr(t, err)
		events = append(events, e)
	}
	return events, damage
}

func wantRead(t testing.TB, s session.Store, after event.Seq, want []event.Envelope, reasons ...string) {
	t.Helper()
	events, damage := readAll(t, s, after)
	if d := cmp.Diff(events, want); d != "" {
		t.Errorf("events (-got +want):\n%s", d)
	}
	var got []string
	for _, d := range damage {
		got = append(got, fmt.Sprintf("%d: %s", d.Line, d.Reason))
	}
	if d := cmp.Diff(got, reasons); d != "" {
		t.Errorf("damage (-got +want):\n%s", d)
	}
}

func edit(t testing.TB, dir string, change func(text string) string) {
	t.Helper()
	path := filepath.Join(dir, string(id)+".jsonl")
	data, err := os.ReadFile(path)
	noErr(t, err)
	noErr(t, os.WriteFile(path, []byte(change(string(data))), 0o600))
}

// appendOne opens the session, appends the next note and returns what Open tore off.
func appendOne(t testing.TB, s session.Store) *session.Damage {
	t.Helper()
	l, err := s.Open(context.Background(), id)
	noErr(t, err)
	noErr(t, l.Append(note(l.Last()+1)))
	noErr(t, l.Close())
	return l.Torn()
}

func TestJournalIsTextAsDocumented(t *testing.T) {
	_, dir := newJournal(t, note(1))
	got, err := os.ReadFile(filepath.Join(dir, string(id)+".jsonl"))
	noErr(t, err)
	want := `{"format":1,"id":"20260102-150405-a1b2c3","workspace":"/work","created":"2026-01-02T15:04:05Z","writer":"reasonix 1.0","crc":"396c04f7"}
{"seq":1,"time":"2026-01-02T15:04:06Z","turn":1,"type":"session.notice","data":{"level":"info","code":"n","text":"note <1> \"&\""},"crc":"011c2885"}
`
	if d := cmp.Diff(string(got), want); d != "" {
		t.Errorf("journal (-got +want):\n%s", d)
	}
}

func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	s, dir := newJournal(t, note(1))
	_, saved, err := s.Save(t.Context(), id, strings.NewReader("x"))
	noErr(t, err)
	for path, want := range map[string]os.FileMode{
		dir:                                     0o700,
		filepath.Join(dir, string(id)+".jsonl"): 0o600,
		filepath.Join(dir, string(id)+".lock"):  0o600,
		filepath.Join(dir, string(id)+".files"): 0o700,
		saved:                                   0o600,
	} {
		info, err := os.Stat(path)
		noErr(t, err)
		if os.PathSeparator == '/' && info.Mode().Perm() != want {
			t.Errorf("%s: mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
}

// SE-01: the log lost its last 40 bytes; only the cut record is lost, it is told, and
// the next record starts on its own line.
func TestSE01CutTailThenAppend(t *testing.T) {
	s, dir := newJournal(t, notes(1, 5)...)
	edit(t, dir, func(text string) string { return text[:len(text)-40] })
	wantRead(t, s, 0, notes(1, 4))
	torn := appendOne(t, s)
	if torn == nil || torn.Line != 6 || !strings.HasPrefix(torn.Reason, "cut off after ") {
		t.Errorf("torn: %+v, want line 6 cut off", torn)
	}
	if torn := appendOne(t, s); torn != nil {
		t.Errorf("torn again: %+v", torn)
	}
	wantRead(t, s, 0, notes(1, 6))
}

func TestCutAtEveryByteLosesAtMostOneRecord(t *testing.T) {
	s, dir := newJournal(t, notes(1, 3)...)
	whole, err := os.ReadFile(filepath.Join(dir, string(id)+".jsonl"))
	noErr(t, err)
	record := regexp.MustCompile(`"crc":"[0-9a-f]{8}"}\n`)
	for n := range len(whole) {
		edit(t, dir, func(string) string { return string(whole[:n]) })
		lines := len(record.FindAllIndex(append(whole[:n:n], '\n'), -1)) // one may lack its newline alone
		appendOne(t, s)
		events, damage := readAll(t, s, 0)
		if len(events) != max(lines, 1) || len(damage) > 0 {
			t.Fatalf("cut at %d: %d events, damage %v, want %d events", n, len(events), damage, max(lines, 1))
		}
	}
}

func TestDamagedLinesAreSkippedAndNamed(t *testing.T) {
	line := func(text string, n int) string { return strings.Split(text, "\n")[n-1] }
	rest := append(notes(1, 1), notes(3, 4)...)
	for name, c := range map[string]struct {
		change func(text string) string
		want   []event.Envelope
		told   []string
	}{
		"bytes overwritten": {func(s string) string {
			return strings.Replace(s, `"text":"note <2>`, "\"te\x00\x00\x00\xff", 1)
		}, rest, []string{"3: not a whole record"}},
		"edited": {
			func(s string) string { return strings.Replace(s, "note <2>", "note <9>", 1) },
			rest,
			[]string{"3: edited: the checksum does not match"},
		},
		"written by hand": {func(s string) string {
			return strings.Replace(s, line(s, 3), `{"seq":2,"type":"session.notice","data":{}}`, 1)
		}, rest, []string{"3: edited: it has no checksum"}},
		"not an object": {
			func(s string) string { return strings.Replace(s, line(s, 3), `17`, 1) },
			rest,
			[]string{"3: edited: it has no checksum"},
		},
		"doubled": {
			func(s string) string { return strings.Replace(s, line(s, 3), line(s, 3)+"\n"+line(s, 3), 1) },
			notes(1, 4),
			[]string{"4: it repeats sequence number 2"},
		},
		"removed": {
			func(s string) string { return strings.Replace(s, line(s, 3)+"\n", "", 1) },
			rest,
			[]string{"3: records between 1 and 3 are missing before it"},
		},
		"removed and damaged": {
			func(s string) string { return strings.Replace(s, line(s, 3)+"\n"+line(s, 4), "?", 1) },
			append(notes(1, 1), note(4)),
			[]string{"3: not a whole record", "4: records between 1 and 4 are missing before it"},
		},
		"moved": {func(s string) string {
			return strings.Replace(s, line(s, 3)+"\n"+line(s, 4), line(s, 4)+"\n"+line(s, 3), 1)
		}, rest, []string{"3: records between 1 and 3 are missing before it", "4: it repeats sequence number 2"}},
		"blank lines and CRLF": {func(s string) string {
			return strings.ReplaceAll(strings.Replace(s, "\n", "\n\n \n", 3), "\n", "\r\n")
		}, notes(1, 4), nil},
		"byte order mark": {func(s string) string { return "\ufeff" + s }, notes(1, 4), nil},
		"header damaged": {
			func(s string) string { return "x" + s[1:] }, notes(1, 4),
			[]string{"1: header: not a whole record"},
		},
		"header edited": {
			func(s string) string { return strings.Replace(s, "/work", "/else", 1) }, notes(1, 4),
			[]string{"1: header: edited: the checksum does not match"},
		},
		"header removed": {
			func(s string) string { return strings.Replace(s, line(s, 1)+"\n", "", 1) }, notes(1, 4),
			[]string{"1: header: missing"},
		},
		"empty": {func(string) string { return "" }, nil, []string{"1: header: missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newJournal(t, notes(1, 4)...)
			edit(t, dir, c.change)
			wantRead(t, s, 0, c.want, c.told...)
			appendOne(t, s)
			events, _ := readAll(t, s, 0)
			if len(events) != len(c.want)+1 {
				t.Errorf("after one more append %d events, want %d", len(events), len(c.want)+1)
			}
		})
	}
}

func TestDamageBehindAfterIsToldAndBeforeIsNot(t *testing.T) {
	s, dir := newJournal(t, notes(1, 5)...)
	edit(t, dir, func(text string) string {
		return strings.NewReplacer("note <2>", "note <x>", "note <4>", "note <x>").Replace(text)
	})
	wantRead(t, s, 3, []event.Envelope{note(5)}, "5: edited: the checksum does not match")
}

func TestEditedLastRecordKeepsItsNumber(t *testing.T) {
	s, dir := newJournal(t, notes(1, 3)...)
	edit(t, dir, func(text string) string { return strings.Replace(text, "note <3>", "note <x>", 1) })
	appendOne(t, s)
	wantRead(t, s, 0, append(notes(1, 2), note(4)), "4: edited: the checksum does not match")
}

func TestUnknownTypeIsKept(t *testing.T) {
	u := event.Envelope{Seq: 1, Time: created, Payload: event.Unknown{Type: "later.thing", Data: []byte(`{"b":1,"a":[ 2 ]}`)}}
	s, _ := newJournal(t, u)
	wantRead(t, s, 0, []event.Envelope{u})
}

// SE-14: a session of another version: an older one goes on, a newer one is read-only.
func TestSE14NewerFormatOpensReadOnly(t *testing.T) {
	s, dir := newJournal(t, notes(1, 2)...)
	edit(t, dir, func(text string) string {
		_, rest, _ := strings.Cut(text, "\n")
		return `{"format":2,"id":"` + string(id) + `","crc":"` + crcOf(`{"format":2,"id":"`+string(id)+`"`) + "\"}\n" + rest
	})
	_, err := s.Open(t.Context(), id)
	if f, ok := errors.AsType[*session.FormatError](err); !ok || f.Format != 2 || f.ID != id {
		t.Errorf("open: %v, want a *FormatError of format 2", err)
	}
	wantRead(t, s, 0, notes(1, 2))
	if list, err := s.List(t.Context(), session.Query{}); err != nil || len(list) != 1 || list[0].Format != 2 {
		t.Errorf("list: %+v, %v", list, err)
	}
}

func TestVeryLongLine(t *testing.T) {
	long := note(1)
	long.Payload = event.Notice{Text: strings.Repeat("long ", 1<<20)}
	s, _ := newJournal(t, long, note(2))
	wantRead(t, s, 0, []event.Envelope{long, note(2)})
}

func TestAppendRefusesAGap(t *testing.T) {
	s, _ := newJournal(t, notes(1, 2)...)
	l, err := s.Open(t.Context(), id)
	noErr(t, err)
	for _, bad := range [][]event.Envelope{{note(4)}, {note(2)}, {note(0)}, {note(3), note(5)}} {
		if err := l.Append(bad...); err == nil {
			t.Errorf("seq %d appended behind 2", bad[0].Seq)
		}
	}
	noErr(t, l.Close())
	wantRead(t, s, 0, notes(1, 2))
}

func TestReadBesideAWriterEndsAtTheLastWholeRecord(t *testing.T) {
	s, dir := newJournal(t, notes(1, 2)...)
	f, err := os.OpenFile(filepath.Join(dir, string(id)+".jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	noErr(t, err)
	defer f.Close()
	_, err = f.WriteString(`{"seq":3,"time":"20`)
	noErr(t, err)
	wantRead(t, s, 0, notes(1, 2))
}

func TestSavedBytesThatChangedAreNotLoaded(t *testing.T) {
	s, _ := newJournal(t)
	hash, path, err := s.Save(t.Context(), id, strings.NewReader("picture"))
	noErr(t, err)
	noErr(t, os.WriteFile(path, []byte("picturE"), 0o600))
	if data, err := s.Load(t.Context(), id, hash); err == nil {
		t.Errorf("loaded %q", data)
	}
}
