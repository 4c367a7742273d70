package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// dfa tells whether lines match, many times faster than the regexp package can:
// it makes a deterministic automaton of the same program, one state at a time as
// the text needs them. It does not find where a match begins. It belongs to one
// scanner.
//
// A state is a set of places in the program and what the character before was. A
// transition looks at the character ahead, so that it knows what holds between
// the two: the anchors and word boundaries.
type dfa struct {
	prog  *syntax.Prog
	next  []int32          // row by row of 128: what an ASCII character leads to
	wide  map[uint64]int32 // the same for other characters; key: row and character
	sets  [][]uint32       // by row number: places in the program
	prior []rune           // by row number: the character before, or its like
	rows  map[string]int32 // by prior and set
	built int              // rows ever made
	seen  int              // bytes ever read

	// Scratch of one transition.
	mark  []bool
	stack []uint32
	key   []byte
}

// What a transition leads to, besides rows, which are offsets into next.
const (
	unknown int32 = 0
	matched int32 = -1
)

const (
	rowSize = utf8.RuneSelf
	maxRows = 2000
	maxWide = 20_000
	// A transition may look at the whole program.
	maxProgram = 2000
	firstRow   = rowSize // row 0 would be unknown
)

// newDFA returns nil for a pattern too large to be worth it. The result is only
// to be forked.
func newDFA(re *syntax.Regexp) *dfa {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return nil
	}
	return &dfa{prog: prog}
}

// fork is a dfa of the same program for a scanner.
func (d *dfa) fork() *dfa {
	if d == nil {
		return nil
	}
	f := &dfa{prog: d.prog, mark: make([]bool, len(d.prog.Inst))}
	f.clear()
	return f
}

func (d *dfa) clear() {
	d.next, d.sets, d.prior = make([]int32, rowSize, 8*rowSize), [][]uint32{nil}, []rune{0}
	d.rows, d.wide = map[string]int32{}, map[uint64]int32{}
	d.row('\n', nil)
}

// hopeless says that the pattern makes so many states that building them takes
// longer than the slow way.
func (d *dfa) hopeless() bool { return d.built > maxRows/2 && d.seen < 16*d.built }

// find returns the end of a match in lines, the first to end, or -1. A carriage
// return before a line feed is no part of its line.
func (d *dfa) find(lines []byte) int {
	row := firstRow
	next := d.next
	i := 0
	for i < len(lines) {
		c := lines[i]
		if c < utf8.RuneSelf && c != '\r' {
			if to := next[int(row)+int(c)]; to > 0 {
				row = int(to)
				i++
				continue
			}
		}
		r, size := rune(c), 1
		switch {
		case c >= utf8.RuneSelf:
			r, size = utf8.DecodeRune(lines[i:])
		case c == '\r' && i+1 < len(lines) && lines[i+1] == '\n':
			r, size = '\n', 2
		}
		to := d.lead(int32(row), r)
		if to == matched {
			d.seen += i
			return i
		}
		row, next = int(to), d.next
		i += size
	}
	d.seen += len(lines)
	if d.lead(int32(row), '\n') == matched {
		return len(lines)
	}
	return -1
}

// lead returns where r leads from row.
func (d *dfa) lead(row int32, r rune) int32 {
	if r < utf8.RuneSelf {
		if to := d.next[int(row)+int(r)]; to != unknown {
			return to
		}
		to, fresh := d.step(row, r)
		if !fresh {
			d.next[int(row)+int(r)] = to
		}
		return to
	}
	key := uint64(row)<<32 | uint64(r)
	if to, ok := d.wide[key]; ok {
		return to
	}
	to, fresh := d.step(row, r)
	if !fresh {
		if len(d.wide) >= maxWide {
			clear(d.wide)
		}
		d.wide[key] = to
	}
	return to
}

// step works a transition out. fresh says that the automaton was begun again, so
// that row is no more.
func (d *dfa) step(row int32, r rune) (to int32, fresh bool) {
	i := row / rowSize
	reached := d.closure(d.sets[i], syntax.EmptyOpContext(d.prior[i], r))
	defer func() {
		for _, pc := range reached {
			d.mark[pc] = false
		}
	}()
	var set []uint32
	for _, pc := range reached {
		switch inst := &d.prog.Inst[pc]; inst.Op {
		case syntax.InstMatch:
			return matched, false
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if inst.MatchRune(r) {
				set = append(set, inst.Out)
			}
		default: // reads nothing
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if len(d.sets) >= maxRows {
		d.clear()
		fresh = true
	}
	return d.row(likeOf(r), set), fresh
}

// closure returns every place reached from set, or from the start, without
// reading, where flags hold. The places are marked.
func (d *dfa) closure(set []uint32, flags syntax.EmptyOp) []uint32 {
	stack := append(d.stack[:0], set...)
	stack = append(stack, uint32(d.prog.Start))
	var reached []uint32
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.mark[pc] {
			continue
		}
		d.mark[pc] = true
		reached = append(reached, pc)
		switch inst := &d.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^flags == 0 {
				stack = append(stack, inst.Out)
			}
		default: // reads, or ends
		}
	}
	d.stack = stack
	return reached
}

// row returns the row of a state, made if need be.
func (d *dfa) row(prior rune, set []uint32) int32 {
	d.key = append(d.key[:0], byte(prior))
	for _, pc := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	if row, ok := d.rows[string(d.key)]; ok {
		return row
	}
	row := int32(len(d.next))
	d.next = append(d.next, make([]int32, rowSize)...)
	d.sets, d.prior = append(d.sets, set), append(d.prior, prior)
	d.rows[string(d.key)] = row
	d.built++
	return row
}

// likeOf is a character that means the same to what comes after it.
func likeOf(r rune) rune {
	switch {
	case r == '\n':
		return '\n'
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}
