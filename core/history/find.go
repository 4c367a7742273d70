package history

import (
	"fmt"
	"strings"

	"reasonix/core/session"
)

// AmbiguousError says that several sessions begin as what was asked for.
type AmbiguousError struct {
	Prefix   string
	Sessions []string // some of them
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("session %s: several begin so: %s", e.Prefix, strings.Join(e.Sessions, ", "))
}

// mostNamed bounds how many sessions an error lists.
const mostNamed = 5

// find returns where a session or archive is, by its id or the beginning of one. This
// workspace's sessions go before those of others.
func (h *History) find(name string) (at shelf, id string, err error) {
	shelves, err := h.places.shelves(Global)
	if err != nil {
		return at, "", err
	}
	wanted, archive := strings.CutPrefix(strings.TrimSuffix(name, ".jsonl"), archivePrefix)
	var among []string
	for _, s := range shelves {
		if s.archive != archive || wanted == "" {
			continue
		}
		files, err := s.files()
		if err != nil {
			return at, "", err
		}
		for _, f := range files {
			if f.name == wanted {
				return s, f.name, nil
			}
			if strings.HasPrefix(f.name, wanted) {
				at, id = s, f.name
				among = append(among, f.name)
			}
		}
		if s.own && len(among) == 1 {
			break
		}
	}
	switch len(among) {
	case 0:
		return at, "", fmt.Errorf("session %s: %w", name, session.ErrUnknown)
	case 1:
		return at, id, nil
	}
	return at, "", &AmbiguousError{name, among[:min(len(among), mostNamed)]}
}
