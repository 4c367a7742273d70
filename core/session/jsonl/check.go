package jsonl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"reasonix/core/durable"
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/core/session"
)

// Report is what Check found of one session.
type Report struct {
	ID      event.SessionID
	Records int // that can be read
	Bytes   int64
	Last    event.Seq
	Holder  string // who writes it now
	Damages []session.Damage
}

// Check reads a session through and lists everything that is wrong with it, the bytes
// beside it included. It takes no lock; what a writer has not finished is no damage.
func (s *Store) Check(ctx context.Context, id event.SessionID) (Report, error) {
	rep := Report{ID: id}
	f, err := s.openKnown(id)
	if err != nil {
		return rep, named("check", id, err)
	}
	defer f.Close()
	rep.Holder = durable.Holder(s.path(id, ".lock"))
	r := &reader{lines: newLineReader(f), id: id, strict: true}
	c := checker{dir: s.path(id, ".files"), good: map[string]bool{}}
	for {
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil || !fatal(err) {
			err = errors.Join(err, ctx.Err())
		}
		if fatal(err) {
			return rep, named("check", id, err)
		}
		if damage, ok := errors.AsType[*session.DamageError](err); ok {
			if damage.Kind != session.DamageTorn || rep.Holder == "" {
				rep.Damages = append(rep.Damages, damage.Damage)
			}
			continue
		}
		rep.Records, rep.Last = rep.Records+1, e.Seq
		for _, reason := range c.check(hashes(e.Payload)) {
			rep.Damages = append(rep.Damages, *r.damage(session.DamageFile, reason))
		}
	}
	rep.Bytes = r.lines.off
	return rep, nil
}

// checker looks at the bytes beside a journal, at each once.
type checker struct {
	dir  string
	good map[string]bool
}

func (c *checker) check(names []string) (reasons []string) {
	for _, hash := range names {
		if _, known := c.good[hash]; known {
			continue
		}
		err := verify(c.dir, hash)
		c.good[hash] = err == nil
		if err != nil {
			reasons = append(reasons, err.Error())
		}
	}
	return reasons
}

// verify reads a saved file and compares its bytes with its name.
func verify(dir, hash string) error {
	f, err := durable.Open(filepath.Join(dir, hash))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the file %s it names is missing", hash)
	}
	if err != nil {
		return fmt.Errorf("the file it names: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("the file %s it names: %w", hash, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return fmt.Errorf("the file %s it names has changed", hash)
	}
	return nil
}

// hashes lists the saved files an event names.
func hashes(p event.Payload) []string {
	var list []string
	add := func(hash string) {
		if len(hash) == hashLen {
			list = append(list, hash)
		}
	}
	attached := func(all []message.Attachment) {
		for _, a := range all {
			if a.Path == "" {
				add(a.Hash)
			}
		}
	}
	switch p := p.(type) {
	case event.PromptQueued:
		attached(p.Attachments)
	case event.UserSaid:
		attached(p.Message.Attachments)
	case event.Replied:
		attached(p.Message.Attachments)
	case event.ToolFinished:
		attached(p.Message.Attachments)
		add(p.Full)
	case event.JobEnded:
		add(p.Full)
	default: // no other names bytes
	}
	return list
}
