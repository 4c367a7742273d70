package jsonl

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/session"
)

// worthCache is from how many sessions on a list is kept: fewer are looked at one by
// one as fast.
const worthCache = 64

// cacheName is the list's file in the directory of the sessions.
const cacheName = "list.idx"

// cacheHead is its first line. Another one is another version's, and the list is made
// anew.
const cacheHead = "reasonix session list 1\tid\tbytes\twritten\tformat\tcreated\tupdated\tworkspace\tparent\twriter\tclient\ttitle\tmodel\toutcome"

// maxCache is how many bytes of it are read.
const maxCache = 64 << 20

// listCache is what a list showed of each session when its journal had the length and
// the time noted beside it. It is derived and believed for a journal that still has
// both. It is a table of tabs, because ten thousand JSON objects take five times as
// long to read. The nil cache is empty and keeps nothing.
type listCache struct {
	rows    map[event.SessionID]string
	changed bool
}

func (s *Store) openCache() *listCache {
	c := &listCache{rows: map[event.SessionID]string{}}
	data, err := durable.ReadFile(filepath.Join(s.dir, cacheName), maxCache)
	if err != nil {
		return c
	}
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(head) != cacheHead {
		return c
	}
	c.rows = make(map[event.SessionID]string, bytes.Count(rest, []byte("\n")))
	for text := string(rest); ; {
		row, more, whole := strings.Cut(text, "\n")
		if !whole {
			return c // what has no end is no row
		}
		if id, _, ok := strings.Cut(row, "\t"); ok {
			c.rows[event.SessionID(id)] = row
		}
		text = more
	}
}

// columns are those behind the id.
const columns = 12

func (c *listCache) get(f file) (session.Meta, bool) {
	if c == nil {
		return session.Meta{}, false
	}
	_, text, ok := strings.Cut(c.rows[f.id], "\t")
	if !ok {
		return session.Meta{}, false
	}
	var cells [columns]string
	for i := range columns - 1 {
		if cells[i], text, ok = strings.Cut(text, "\t"); !ok {
			return session.Meta{}, false
		}
	}
	cells[columns-1] = text
	size, err1 := strconv.ParseInt(cells[0], 10, 64)
	written, err2 := strconv.ParseInt(cells[1], 10, 64)
	format, err3 := strconv.Atoi(cells[2])
	created, ok1 := cellTime(cells[3])
	updated, ok2 := cellTime(cells[4])
	if !ok1 || !ok2 || err1 != nil || err2 != nil || err3 != nil || size != f.size || written != f.nanos {
		return session.Meta{}, false
	}
	return session.Meta{
		ID: f.id, Format: format, Created: created, Updated: updated,
		Workspace: cellText(cells[5]), Parent: event.SessionID(cellText(cells[6])), Writer: cellText(cells[7]), Client: cellText(cells[8]),
		Title: cellText(cells[9]), Model: cellText(cells[10]), Outcome: event.Outcome(cellText(cells[11])),
	}, true
}

func (c *listCache) put(f file, m session.Meta) {
	if c == nil {
		return
	}
	c.rows[f.id] = strings.Join([]string{
		string(f.id), strconv.FormatInt(f.size, 10), strconv.FormatInt(f.nanos, 10), strconv.Itoa(m.Format), timeCell(m.Created), timeCell(m.Updated), textCell(m.Workspace), textCell(string(m.Parent)),
		textCell(m.Writer), textCell(m.Client), textCell(m.Title), textCell(m.Model), textCell(string(m.Outcome)),
	}, "\t")
	c.changed = true
}

// keepCache stores the rows of the sessions that exist. It is best effort.
func (s *Store) keepCache(c *listCache, files []file) {
	var b bytes.Buffer
	b.WriteString(cacheHead + "\n")
	there := map[event.SessionID]bool{}
	for _, f := range files {
		there[f.id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(c.rows)) {
		if there[id] {
			b.WriteString(c.rows[id] + "\n")
		}
	}
	_ = durable.WriteCache(filepath.Join(s.dir, cacheName), b.Bytes())
}

func timeCell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10) + "." + strconv.Itoa(t.Nanosecond())
}

func cellTime(cell string) (time.Time, bool) {
	if cell == "" {
		return time.Time{}, true
	}
	whole, part, _ := strings.Cut(cell, ".")
	seconds, err1 := strconv.ParseInt(whole, 10, 64)
	nanos, err2 := strconv.ParseInt(part, 10, 64)
	return time.Unix(seconds, nanos).UTC(), err1 == nil && err2 == nil
}

func textCell(s string) string {
	if !strings.ContainsAny(s, "\t\n\r\\") {
		return s
	}
	return strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(s)
}

func cellText(cell string) string {
	if !strings.Contains(cell, `\`) {
		return cell
	}
	return strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r").Replace(cell)
}
