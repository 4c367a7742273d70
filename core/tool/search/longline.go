package search

import "bytes"

// piece searches a part of a line that does not fit into the buffer, up to the
// line's end or the buffer's, and returns how much it is done with. The next
// piece begins with the last bytes of this one.
func (s *scanner) piece(data []byte, eof bool) (used int, err error) {
	end, last := len(data), eof
	if i := bytes.IndexByte(data[s.seen:], '\n'); i >= 0 {
		end, last = s.seen+i, true
	}
	if !s.longHit {
		if err := s.judge(trimPartial(data[:end])); err != nil {
			return 0, err
		}
		part := data[:end]
		if last {
			part = trimCR(part)
		}
		if at := s.inPiece(part, last); at >= 0 {
			if s.out.binary {
				return end, errBinary
			}
			s.longHit = true
			s.out.hits = append(s.out.hits, hit{s.line, show(part, at, s.longFrom, last)})
		}
	}
	if last {
		s.long, s.seen = false, 0
		s.line++
		return min(end+1, len(data)), nil
	}
	s.seen = min(overlap, end)
	s.longFrom += end - s.seen
	return end - s.seen, nil
}

// inPiece returns where a match begins in a piece of a line, or -1.
func (s *scanner) inPiece(part []byte, last bool) int {
	if s.find != nil {
		s.find.reset()
		at := s.find.find(part, 0)
		if at < 0 || s.m.exact {
			return at
		}
	}
	if s.auto != nil && s.auto.find(part) < 0 {
		return -1
	}
	if !s.m.edges {
		if loc := s.m.re.FindIndex(part); loc != nil {
			return loc[0]
		}
		return -1
	}
	// The ends of a piece are no ends of the line. A match that touches one was or
	// will be seen inside the neighbouring piece, unless it is longer than the
	// overlap; then it is not the edge that made it match.
	for _, loc := range s.m.re.FindAllIndex(part, 3) {
		atStart := s.longFrom > 0 && loc[0] == 0 && loc[1] < overlap
		atEnd := !last && loc[1] == len(part) && loc[0] >= len(part)-overlap
		if !atStart && !atEnd {
			return loc[0]
		}
	}
	return -1
}
