package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reasonix/core/durable"
)

const (
	cacheMark = 1
	maxCache  = 64 << 20
)

// A cache is what a server offered, for the next session. The lists in it are those
// of this declaration and of what the client said it can do, since a server may
// offer less to one that can do less.
type cache struct {
	Mark   int    `json:"mark"`
	Server string `json:"server"`
	Key    string `json:"key"`
	list
	Prompts []Prompt `json:"prompts,omitzero"`
}

// cacheKey tells what the server is and what it was told.
func (s *server) cacheKey() string {
	can := fmt.Sprintf("%s elicitation=%t sampling=%t %s", s.cfg.identity(s.set.world), s.asks(), s.samples(), s.cfg.protocol())
	sum := sha256.Sum256([]byte(can))
	return hex.EncodeToString(sum[:8])
}

func (s *server) cacheFile() string {
	if s.set.world.CacheDir == "" {
		return ""
	}
	return filepath.Join(s.set.world.CacheDir, s.part+"-"+s.cacheKey()+".json")
}

// remember keeps the live list and the prompts for the next session, when they are
// not what is kept already.
func (s *server) remember() {
	path := s.cacheFile()
	if path == "" {
		return
	}
	s.keeping.Lock() // what is read last is written last
	defer s.keeping.Unlock()
	kept := cache{Mark: cacheMark, Server: s.cfg.Name, Key: s.cacheKey()}
	s.mu.Lock()
	if s.live != nil {
		kept.list = *s.live
	}
	kept.Prompts = s.prompts
	s.mu.Unlock()
	data, err := json.Marshal(kept)
	if err == nil && bytes.Equal(data, s.kept) {
		return
	}
	if err == nil {
		err = durable.MkdirAll(filepath.Dir(path))
	}
	if err == nil {
		err = durable.WriteCache(path, data)
	}
	if err != nil {
		s.log.note("keep the lists of what it offers: %v", err)
		return
	}
	s.kept = data
}

// recall returns what an earlier session kept, nil when there is nothing to trust.
func (s *server) recall() (*list, []Prompt) {
	path := s.cacheFile()
	if path == "" {
		return nil, nil
	}
	data, err := durable.ReadFile(path, maxCache)
	if err != nil {
		return nil, nil
	}
	var kept cache
	if json.Unmarshal(data, &kept) != nil || kept.Mark != cacheMark || kept.Server != s.cfg.Name || kept.Key != s.cacheKey() {
		return nil, nil
	}
	for _, t := range kept.Tools {
		if t.Raw == "" || !json.Valid(t.Schema) {
			return nil, nil
		}
	}
	s.kept = data
	slices.SortFunc(kept.Tools, func(a, b spec) int { return strings.Compare(a.Raw, b.Raw) })
	return &kept.list, s.commands(kept.Prompts)
}
