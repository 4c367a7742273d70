package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// A server is one entry of mcpServers in .mcp.json.
type server struct {
	name   string
	offset int64
	line   int
	value  map[string]any // as the file has it
	block  map[string]any // as a [[plugins]] block has it
}

// servers takes the MCP servers of the workspace's .mcp.json: each is a part, and
// those that the user granted count. What is wrong with the file is a warning: it
// belongs to other programs, too. A name that a TOML file has is that file's.
func (l *loader) servers(path string) {
	warn := func(line int, text string) {
		project := &l.layers[len(l.layers)-1]
		project.warnings = append(project.warnings, Warning{Code: WarnServers, File: path, Line: line, Column: min(line, 1), Text: text})
	}
	text, err := l.foreign(path)
	if err != nil {
		warn(0, err.Error())
	}
	if text == nil {
		return
	}
	list, err := parseServers(text, serversKey)
	if err != nil {
		warn(0, "ignored: "+printable(err.Error()))
		return
	}
	d := &document{file: path, body: text}
	for _, e := range list {
		if l.declared[e.name] {
			continue
		}
		e.line, _ = d.position(int(e.offset))
		key := JoinPath([]string{serversKey, e.name})
		if e.block, err = serverBlock(e); err != nil {
			warn(e.line, "ignored: "+printable(key+": "+err.Error()))
			continue
		}
		s := splitter{doc: d, granted: l.in.Granted}
		if s.counts(serverPart(key, e.value, l.project), int(e.offset)) {
			l.json = append(l.json, e)
		}
		l.granted, l.ungranted = append(l.granted, s.on...), append(l.ungranted, s.off...)
	}
}

// foreign is the text of a file of the workspace that other programs share, nil
// when there is none or it does not count.
func (l *loader) foreign(path string) ([]byte, error) {
	if path == "" || l.skip[path] {
		return nil, nil
	}
	if _, given := l.in.Texts[path]; !given && leadsOut(path) {
		return nil, fmt.Errorf("ignored: %w", errLink)
	}
	text, err := l.in.read(path)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, errors.New("cannot be read: " + rootCause(err))
	}
	return append([]byte{}, bytes.TrimPrefix(text, bom)...), nil
}

// absent reports whether reading failed because there is no such file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) }

// serversKey is the member of .mcp.json that holds the servers.
const serversKey = "mcpServers"

// parseServers reads the file token by token, because a person is told the line,
// and because a name that is there twice must not be shown as one and be the other.
func parseServers(text []byte, keys ...string) ([]server, error) {
	if !json.Valid(text) {
		var v any
		return nil, fmt.Errorf("it is no JSON: %w", json.Unmarshal(text, &v))
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var list []server
	found := false
	err := members(dec, text, func(key string, _ int64) error {
		if !slices.Contains(keys, key) {
			var skip json.RawMessage
			return dec.Decode(&skip)
		}
		if found {
			return fmt.Errorf("%s is there twice", key)
		}
		found = true
		return members(dec, text, func(name string, at int64) error {
			s := server{name: name, offset: at}
			if slices.ContainsFunc(list, func(had server) bool { return had.name == name }) {
				return fmt.Errorf("%s.%s is there twice", key, quoteKey(name))
			}
			if err := dec.Decode(&s.value); err != nil || s.value == nil {
				return fmt.Errorf("%s.%s: want an object", key, quoteKey(name))
			}
			list = append(list, s)
			return nil
		})
	})
	return list, err
}

// members calls f at every member of the object that dec is at, with the member's
// name and its place; f takes the value.
func members(dec *json.Decoder, text []byte, f func(name string, at int64) error) error {
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return errors.New("want an object")
	}
	for dec.More() {
		at := dec.InputOffset()
		for int(at) < len(text) && text[at] != '"' {
			at++
		}
		name, err := dec.Token()
		if err != nil {
			return err
		}
		if err := f(name.(string), at); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}
