package session

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"reasonix/core/event"
)

// NewID returns an id for a session made now: the UTC time to the second and six
// hex digits from random, for example 20260102-150405-a1b2c3. Ids sort by time and
// are legal file names everywhere.
func NewID(now time.Time, random io.Reader) (event.SessionID, error) {
	var b [3]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make session id: %w", err)
	}
	return event.SessionID(now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])), nil
}

// ValidID reports whether id can name a session: 1 to 64 letters, digits, hyphens
// and underscores of ASCII. Anything else names no session and no file.
func ValidID(id event.SessionID) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	const legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return strings.IndexFunc(string(id), func(r rune) bool { return !strings.ContainsRune(legal, r) }) < 0
}
