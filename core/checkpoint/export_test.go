package checkpoint

import "time"

// FailWrites makes the Store keep nothing for good, as with a full disk, until it is
// called with nil.
func (s *Store) FailWrites(err error) {
	s.write = write
	if err != nil {
		s.write = func(string, []byte) error { return err }
	}
}

// SetBack makes it look as if the clock of the disk was set back by an hour.
func (s *Store) SetBack() { s.since += int64(time.Hour) }
