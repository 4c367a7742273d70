package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ServerError says that a file's servers cannot be changed as was asked.
type ServerError struct {
	Name string
	File string // "" where it is the file that was given
	Why  string
	// Unknown is set when the file has no such server.
	Unknown bool
}

// ExitCode is that of a mistake of the caller.
func (*ServerError) ExitCode() int { return exitUsage }

// exitUsage is the exit code of usage errors.
const exitUsage = 2

func (e *ServerError) Error() string {
	if e.File == "" {
		return printable(fmt.Sprintf("server %s: %s", e.Name, e.Why))
	}
	return printable(fmt.Sprintf("server %s: %s: %s", e.Name, e.File, e.Why))
}

// AddServer appends a [[plugins]] block that says p to the TOML file at path, as
// Edit does. Enabled and Sandbox are written when they are false. A name the file
// has is a *ServerError.
func AddServer(path string, p Plugin) (Change, error) {
	return write(path, func(text []byte) ([]byte, error) { return withServer(text, path, p) })
}

// ReplaceServer is AddServer that takes out a block of the same name first.
func ReplaceServer(path string, p Plugin) (Change, error) {
	return write(path, func(text []byte) ([]byte, error) {
		out, err := withoutServer(text, path, p.Name)
		var none *ServerError
		if errors.As(err, &none) && none.Unknown {
			out, err = text, nil
		}
		if err != nil {
			return nil, err
		}
		return withServer(out, path, p)
	})
}

// RemoveServer takes the [[plugins]] block of that name out of the TOML file at
// path, as Edit does; every other line stays. A name the file does not have is a
// *ServerError.
func RemoveServer(path, name string) (Change, error) {
	return write(path, func(text []byte) ([]byte, error) { return withoutServer(text, path, name) })
}

// EnableServer turns the server of that name in the TOML file at path on or off,
// as Edit does. A name the file does not have is a *ServerError.
func EnableServer(path, name string, on bool) (Change, error) {
	return write(path, func(text []byte) ([]byte, error) {
		list, i, err := findServer(text, path, name)
		if err != nil {
			return nil, err
		}
		m := list[i].(map[string]any)
		if was, said := m["enabled"].(bool); said && was == on || !said && on {
			return text, nil
		}
		return Set(text, JoinPath([]string{"plugins", name, "enabled"}), on)
	})
}

// write makes one change and writes it, anew when another process was faster.
func write(path string, edit func([]byte) ([]byte, error)) (Change, error) {
	for try := 1; ; try++ {
		change, err := propose(path, edit)
		if err != nil || !change.Changed() {
			return change, err
		}
		if err = change.Write(); err == nil || !errors.Is(err, ErrChanged) || try == maxTries {
			return change, err
		}
	}
}

// findServer is the servers of a text and which of them has that name.
func findServer(text []byte, path, name string) ([]any, int, error) {
	d, err := parse("", text)
	if err != nil {
		return nil, 0, err
	}
	list, _ := d.values["plugins"].([]any)
	i := indexOf(list, name)
	if i < 0 {
		return nil, 0, &ServerError{Name: name, File: path, Why: "there is no such server in this file", Unknown: true}
	}
	return list, i, nil
}

// withServer is the text with a block of p at the end of its servers.
func withServer(text []byte, path string, p Plugin) ([]byte, error) {
	if p.Name == "" || strings.ContainsAny(p.Name, "/\x00") {
		return nil, &ServerError{Name: p.Name, File: path, Why: "want a name without a slash"}
	}
	d, err := parse("", text)
	if err != nil {
		return nil, err
	}
	list, _ := d.values["plugins"].([]any)
	if indexOf(list, p.Name) >= 0 {
		return nil, &ServerError{Name: p.Name, File: path, Why: "there is a server of that name already"}
	}
	out := slices.Clone(text)
	for _, f := range blockFields(p) {
		if out, err = Set(out, JoinPath(append([]string{"plugins", p.Name}, strings.Split(f.field, ".")...)), f.value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type blockField struct {
	field string
	value any
}

// blockFields are the fields of a block that say p, in the order of the key table.
func blockFields(p Plugin) []blockField {
	kind := p.Type
	if kind == "stdio" {
		kind = ""
	}
	all := []blockField{
		{"name", p.Name},
		{"type", kind},
		{"command", p.Command},
		{"args", p.Args},
		{"env", p.Env},
		{"url", p.URL},
		{"headers", p.Headers},
		{"headers_helper", p.HeadersHelper},
		{"protocol_version", p.ProtocolVersion},
		{"start_timeout_seconds", p.StartTimeoutSeconds},
		{"call_timeout_seconds", p.CallTimeoutSeconds},
		{"trusted_read_only_tools", p.TrustedReadOnlyTools},
		{"default_tools_approval_mode", p.DefaultToolsApprovalMode},
		{"oauth.grant", p.OAuth.Grant},
		{"oauth.issuer", p.OAuth.Issuer},
		{"oauth.client_id", p.OAuth.ClientID},
		{"oauth.client_secret_env", p.OAuth.ClientSecretEnv},
		{"oauth.private_key_env", p.OAuth.PrivateKeyEnv},
		{"oauth.private_key_file", p.OAuth.PrivateKeyFile},
		{"oauth.key_id", p.OAuth.KeyID},
		{"oauth.signing_algorithm", p.OAuth.SigningAlgorithm},
		{"oauth.scopes", p.OAuth.Scopes},
		{"oauth.callback_port", p.OAuth.CallbackPort},
	}
	all = slices.DeleteFunc(all, func(f blockField) bool {
		v := reflect.ValueOf(f.value)
		return v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0
	})
	for i := range all {
		// A text for a list would be read as one.
		if list, ok := all[i].value.([]string); ok {
			all[i].value, _ = stringsOf(list)
		}
	}
	if !p.Enabled {
		all = append(all, blockField{"enabled", false})
	}
	if !p.Sandbox {
		all = append(all, blockField{"sandbox", false})
	}
	return all
}

// withoutServer is the text without the block of that name and the tables below
// it. A comment that stands right above the block, or inside it, goes with it.
func withoutServer(text []byte, path, name string) ([]byte, error) {
	list, i, err := findServer(text, path, name)
	if err != nil {
		return nil, err
	}
	d, err := parse("", text)
	if err != nil {
		return nil, err
	}
	want := clone(d.values).(map[string]any)
	if want["plugins"] = slices.Delete(want["plugins"].([]any), i, i+1); len(list) == 1 {
		delete(want, "plugins")
	}
	e := editor{doc: d}
	body := d.body
	element := []string{"plugins", fmt.Sprintf("#%d", i)}
	for n, t := range slices.Backward(d.tables) {
		if len(t.path) >= 2 && slices.Equal(t.path[:2], element) {
			body = splice(body, e.blockSpan(n), "")
		}
	}
	after, err := parse("", body)
	if err != nil || !reflect.DeepEqual(normal(after.values), normal(want)) {
		return nil, &ServerError{Name: name, File: path, Why: "it is written in a way that cannot be taken out: remove it by hand"}
	}
	return e.whole(body), nil
}

// blockSpan is the lines of table i: from the comments above its header to its
// last key, with a blank line behind.
func (e *editor) blockSpan(i int) span {
	t := e.doc.tables[i]
	s := span{e.aboveComments(t.header.start), t.header.end}
	for _, n := range e.doc.entries {
		if n.table == i {
			s.end = max(s.end, lineEnd(e.doc.body, n.value.end))
		}
	}
	for range 2 { // the line's own end, and a blank line
		next := bytes.IndexByte(e.doc.body[s.end:], '\n')
		if next < 0 || len(bytes.TrimSpace(e.doc.body[s.end:s.end+next])) > 0 {
			break
		}
		s.end += next + 1
	}
	return s
}
