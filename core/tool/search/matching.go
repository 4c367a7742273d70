package search

import "bytes"

// first returns a place in or at the end of the first line that matches, or -1.
func (s *scanner) first(lines []byte) int {
	if s.auto != nil {
		at := s.auto.find(trimCR(lines))
		s.dropHopeless()
		return at
	}
	if s.m.ends && bytes.IndexByte(lines, '\r') >= 0 {
		return s.firstByLine(lines)
	}
	if loc := s.m.re.FindIndex(lines); loc != nil {
		return loc[0]
	}
	return -1
}

// firstByLine is first for lines of which some end with a carriage return.
func (s *scanner) firstByLine(lines []byte) int {
	for at := 0; ; {
		end := len(lines)
		if i := bytes.IndexByte(lines[at:], '\n'); i >= 0 {
			end = at + i
		}
		if s.m.re.Match(trimCR(lines[at:end])) {
			return at
		}
		if at = end + 1; at > len(lines) {
			return -1
		}
	}
}

// in returns where a match begins in a line without its line end, or -1; at is
// where there is a candidate. For a line that is shown whole any place will do.
func (s *scanner) in(line []byte, at int) int {
	switch {
	case s.m.exact:
		return at
	case s.auto != nil:
		found := s.auto.find(line)
		s.dropHopeless()
		if found < 0 || len(line) <= maxLine {
			return found
		}
	}
	loc := s.m.re.FindIndex(line)
	if loc == nil {
		return -1
	}
	return loc[0]
}

func (s *scanner) dropHopeless() {
	if s.auto.hopeless() {
		s.auto = nil
	}
}

func trimCR(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\r")) }
