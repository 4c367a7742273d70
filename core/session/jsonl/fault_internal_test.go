package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
	"reasonix/core/session/sealed"
)

// thirtyTurns is a journal of thirty turns with calls and results, and where each of
// its lines begins.
func thirtyTurns(t *testing.T) (journal []byte, starts []int) {
	t.Helper()
	line, err := header{Format: format, ID: "s", Workspace: "/w"}.line()
	if err != nil {
		t.Fatal(err)
	}
	journal, starts = line, []int{0}
	seq := event.Seq(0)
	add := func(turn int, p event.Payload) {
		seq++
		starts = append(starts, len(journal))
		start := len(journal)
		journal, err = event.Append(journal, event.Envelope{Seq: seq, Time: time.Unix(int64(seq), 0), Turn: turn, Payload: p})
		if err != nil {
			t.Fatal(err)
		}
		journal = sealed.Line(journal, start)
	}
	for turn := 1; turn <= 30; turn++ {
		call := fmt.Sprintf("call-%d", turn)
		add(turn, event.TurnStarted{Prompt: event.PromptID(call)})
		add(turn, event.UserSaid{Message: message.Message{Role: message.User, Content: "go on with \"it\" {\"seq\":7}"}})
		add(turn, event.Replied{Message: message.Message{Role: message.Assistant, Content: strings.Repeat("text ", 100), ToolCalls: []message.ToolCall{{ID: call, Name: "bash", Arguments: `{"command":"ls"}`}}}})
		add(turn, event.ToolStarted{Call: call})
		add(turn, event.ToolFinished{Call: call, Status: event.StatusOK, Message: message.Message{Role: message.ToolRole, ToolCallID: call, Content: strings.Repeat("out\n", 400)}})
		add(turn, event.TurnEnded{Outcome: event.Completed})
	}
	return journal, starts
}

// numbers reads a journal from in memory and returns the numbers of its records, and how
// much damage it tells.
func numbers(t *testing.T, journal []byte, first event.Seq) (seqs []event.Seq, damage int) {
	t.Helper()
	r := &reader{lines: newLineReaderSize(bytes.NewReader(journal), 4<<10), id: "s", begun: first > 0, last: max(first, 1) - 1}
	for {
		e, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return seqs, damage
		case err != nil && !fatal(err):
			damage++
		case err != nil:
			t.Fatal(err)
		default:
			seqs = append(seqs, e.Seq)
		}
	}
}

// SE-01, SE-03: the journal of thirty turns, cut at every byte of its last 64 KiB. What
// is left is read but for the record that was cut; nothing else is lost or told.
func TestSE01SE03CutAtEveryByteOfTheEnd(t *testing.T) {
	journal, starts := thirtyTurns(t)
	line := len(starts) - 1
	for n := len(journal); n >= max(1, len(journal)-64<<10); n-- {
		for starts[line] >= n {
			line--
		}
		from := max(1, line-2) // what is before reads as ever: reading goes line by line
		got, damage := numbers(t, journal[starts[from]:n], event.Seq(from))
		whole := line - 1 // records before the cut one
		if n == len(journal) || line+1 < len(starts) && n >= starts[line+1]-1 || n == len(journal)-1 {
			whole = line // at most its line break is missing
		}
		want := whole - from + 1
		if len(got) != want || damage > 0 || want > 0 && (got[0] != event.Seq(from) || got[want-1] != event.Seq(whole)) {
			t.Fatalf("cut at %d, in line %d: records %v, %d damaged, want %d to %d", n, line+1, got, damage, from, whole)
		}
		if n%997 == 0 {
			if all, damage := numbers(t, journal[:n], 0); len(all) != whole || damage > 0 {
				t.Fatalf("cut at %d: %d records, %d damaged, want %d", n, len(all), damage, whole)
			}
		}
	}
}

// Every byte of one record turned over, into a line break too, loses that record at most.
func TestFlippedByteLosesOneRecord(t *testing.T) {
	journal, starts := thirtyTurns(t)
	for _, victim := range []int{0, 1, 77, len(starts) - 2} { // lines; the header, and records
		end := starts[victim+1]
		from := max(victim-1, 0)
		until := starts[min(victim+3, len(starts)-1)]
		for at := starts[victim]; at < end; at++ {
			for _, with := range []byte{journal[at] ^ 1, journal[at] ^ 0x80, '\n', 0, '"', '{'} {
				part := bytes.Clone(journal[starts[from]:until])
				if part[at-starts[from]] == with {
					continue
				}
				part[at-starts[from]] = with
				want := map[event.Seq]bool{}
				for i := max(from, 1); starts[i] < until; i++ {
					want[event.Seq(i)] = true
				}
				first := event.Seq(from)
				got, damage := numbers(t, part, first)
				for _, seq := range got {
					delete(want, seq)
				}
				delete(want, event.Seq(victim))
				if len(want) > 0 {
					t.Fatalf("byte %d of line %d as %q: lost %v, read %v, %d damaged", at-starts[victim], victim+1, with, want, got, damage)
				}
			}
		}
	}
}

// A record written behind the torn end of another, as careless writers do, is read.
func TestWhatIsBehindATornEndIsRead(t *testing.T) {
	journal, starts := thirtyTurns(t)
	for _, cut := range []int{1, 9, 40, 80} {
		text := append(bytes.Clone(journal[:starts[5]-cut]), journal[starts[5]:starts[9]]...)
		want := []event.Seq{1, 2, 3, 4, 5, 6, 7, 8}
		lost := 0
		if cut > 1 {
			want, lost = []event.Seq{1, 2, 3, 5, 6, 7, 8}, 1
		}
		got, damage := numbers(t, text, 0)
		if fmt.Sprint(got) != fmt.Sprint(want) || damage != lost {
			t.Errorf("cut off %d bytes: records %v, %d damaged, want %v", cut, got, damage, want)
		}
	}
}

// A scan counts what a reader reads.
func TestScanAndReaderAgree(t *testing.T) {
	journal, starts := thirtyTurns(t)
	for _, victim := range []int{0, 1, 40, len(starts) - 1} {
		end := len(journal)
		if victim+1 < len(starts) {
			end = starts[victim+1]
		}
		for at := starts[victim]; at < end; at += 7 {
			text := bytes.Clone(journal)
			text[at] ^= 1
			x := newIndex("s")
			s := newScan(x, bytes.NewReader(text))
			if err := s.run(); err != nil {
				t.Fatal(err)
			}
			got, damage := numbers(t, text, 0)
			if last := got[len(got)-1]; s.now.Last < last || s.now.Damaged != damage || x.Last != last && victim != len(starts)-1 {
				t.Fatalf("byte %d: scan %+v, read up to %d with %d damaged", at, s.now, last, damage)
			}
		}
	}
}

func TestStrictReaderNamesEveryKindOfDamage(t *testing.T) {
	journal, starts := thirtyTurns(t)
	lines := bytes.SplitAfter(journal, []byte("\n"))
	text := bytes.Join([][]byte{
		lines[0], lines[1], bytes.Replace(lines[2], []byte("go on"), []byte("stop"), 1), lines[3], lines[3],
		lines[6], bytes.TrimSuffix(lines[7], []byte("\n")), lines[8], []byte("\x00\n"), lines[10][:50],
	}, nil)
	var got []string
	r := &reader{lines: newLineReader(bytes.NewReader(text)), id: "s", strict: true}
	for {
		_, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if d, ok := errors.AsType[*session.DamageError](err); ok {
			got = append(got, fmt.Sprintf("%d@%d %s", d.Line, d.Offset, d.Kind))
		}
	}
	want := fmt.Sprintf("[3@%d edited 5@%d repeated 6@%d missing 7@%d joined 8@%d broken 9@%d torn]",
		starts[2], starts[4]-1, starts[4]-1+len(lines[3]), starts[4]-1+len(lines[3])+len(lines[6]),
		starts[4]-1+len(lines[3])+len(lines[6])+len(lines[7])+len(lines[8])-1,
		starts[4]-1+len(lines[3])+len(lines[6])+len(lines[7])+len(lines[8])+1)
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
