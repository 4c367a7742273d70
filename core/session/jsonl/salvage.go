package jsonl

import (
	"bytes"

	"reasonix/core/session/sealed"
)

// recordStart is how every record begins. Inside of one the quotes are escaped, but
// for an event of another version that holds an object with this member first.
const recordStart = `{"seq":`

// maxPieces bounds the work on a line that is nothing but beginnings.
const maxPieces = 64

// piece is a part of a line: a record, or what is none.
type piece struct {
	raw    []byte
	object []byte // nil: it does not check
	at     int    // where in the line
}

// pieces cuts a line into its records. A line that checks is one piece. One that does
// not may still hold whole records: those whose line break was lost, and one that was
// written behind the torn end of another. What lies between them is a piece without
// an object.
func pieces(line []byte) []piece {
	if object, ok := sealed.Open(line); ok {
		return []piece{{raw: line, object: object}}
	}
	starts := recordStarts(line)
	if len(starts) == 0 {
		return []piece{{raw: line}}
	}
	var all []piece
	lost := 0 // where the part begins that belongs to no record
	lose := func(end int) {
		part := bytes.TrimRight(line[lost:end], "\r \t")
		if len(part) == 0 {
			return
		}
		p := piece{raw: part, at: lost}
		if object, ok := openLoose(part); ok { // a header
			p.raw, p.object = part[:len(object)-1+sealed.Len], object
		}
		all = append(all, p)
	}
	for i := 0; i < len(starts); {
		object, next := recordAt(line, starts, i)
		if object == nil {
			i++
			continue
		}
		lose(starts[i])
		end := len(line)
		if next < len(starts) {
			end = starts[next]
		}
		all = append(all, piece{raw: line[starts[i] : starts[i]+len(object)-1+sealed.Len], object: object, at: starts[i]})
		lost, i = end, next
	}
	lose(len(line))
	return all
}

// recordStarts lists where records may begin in a line behind whose beginning at
// least one does.
func recordStarts(line []byte) []int {
	var starts []int
	for from := 0; len(starts) < maxPieces; {
		i := bytes.Index(line[from:], []byte(recordStart))
		if i < 0 {
			break
		}
		starts = append(starts, from+i)
		from += i + len(recordStart)
	}
	if len(starts) == 1 && starts[0] == 0 {
		return nil
	}
	return starts
}

// recordAt returns the record that begins at starts[i], if one does, and the index of
// the first start behind it.
func recordAt(line []byte, starts []int, i int) (object []byte, next int) {
	for next = i + 1; next <= min(i+4, len(starts)); next++ {
		end := len(line)
		if next < len(starts) {
			end = starts[next]
		}
		if object, ok := openLoose(bytes.TrimRight(line[starts[i]:end], "\r \t")); ok {
			return object, next
		}
	}
	return nil, i + 1
}

// openLoose is sealed.Open for a record behind which one byte may stand where its line
// break was.
func openLoose(part []byte) ([]byte, bool) {
	if object, ok := sealed.Open(part); ok {
		return object, true
	}
	return sealed.Open(part[:max(0, len(part)-1)])
}

// restore undoes what opening did to a line, so that it can be written again.
func restore(p piece) []byte {
	p.raw[len(p.object)-1] = ','
	return p.raw
}
