package jsonl_test

import (
	"path/filepath"
	"testing"

	"reasonix/core/session"
	"reasonix/core/session/jsonl"
	"reasonix/core/session/sessiontest"
)

func TestStore(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T) session.Store {
		return jsonl.New(filepath.Join(t.TempDir(), "projects", "x", "sessions"), jsonl.Options{})
	})
}
