package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"reasonix/core/config"
)

// FuzzForeignFiles: whatever the files of a repository say that other programs
// share, it loads; nothing of it counts without a grant; with one, no key of the
// user's reaches what they declare, and what they say can be shown.
func FuzzForeignFiles(f *testing.F) {
	for _, s := range []string{
		`{"mcpServers": {"a": {"command": "${MINE_KEY}", "args": ["${X:-${MINE_KEY}}", "${"], "env": {"A": "${mine_key}"}}}}`,
		`{"mcpServers": {"a": {"url": "https://${MINE_KEY}", "headers": {"H": "${OWN}"}, "oauth": {"clientId": 1}}}}`, `{`, `[]`, `{"mcpServers": {"": {}}}`,
	} {
		f.Add([]byte(s), []byte(`{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}], "X": [], "PreToolUse": [{"match": "(", "command": "y", "timeout": 1e300}]}}`), []byte("X=1\nMINE_KEY=2\n"))
	}
	dir := f.TempDir()
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
	f.Fuzz(func(t *testing.T, servers, settings, dotenv []byte) {
		in := config.Input{Home: home, Workspace: work, Environ: []string{"MINE_KEY=sk-secret-1"}, Texts: map[string][]byte{
			filepath.Join(home, "config.toml"): []byte(mine), filepath.Join(home, ".env"): nil, filepath.Join(work, ".mcp.json"): servers,
			filepath.Join(work, ".claude", "settings.json"): settings, filepath.Join(work, ".env"): dotenv,
		}}
		c, err := config.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Servers()) > 0 || len(c.Hooks) > 0 {
			t.Fatalf("without a grant: %v, %v", c.Servers(), c.Hooks)
		}
		in.Granted = everything
		if c, err = config.Load(in); err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Servers() {
			all := append([]string{s.Command, s.URL, s.ClientSecret}, s.Args...)
			for _, m := range []map[string]string{s.Env, s.Headers} {
				for _, v := range m {
					all = append(all, v)
				}
			}
			if strings.Contains(strings.Join(all, "\n"), "sk-secret-1") || !s.FromProject || !s.Sandbox || s.Identity == "" {
				t.Fatalf("%+v", s)
			}
		}
		for _, h := range c.Hooks {
			if h.Command == "" || h.Name == "" || !h.FromProject || h.TimeoutSeconds < 0 {
				t.Fatalf("%+v", h)
			}
		}
		for _, w := range c.Warnings {
			if strings.ContainsAny(w.Text, "\x1b\u202e") {
				t.Fatalf("%q", w.Text)
			}
		}
	})
}

// FuzzServerEdit: a server that was added can be read, and removing it gives back
// what was there.
func FuzzServerEdit(f *testing.F) {
	for _, text := range []string{"", "# c\n[[plugins]]\nname='a'\n[plugins.env]\nx='y'\n# d\n[tools]\n", "plugins=[{name='a'}]", "\ufeff[x]\r\n", "a=[\n# c\n]\n[[plugins]]\nname='q'\n\n\n"} {
		f.Add([]byte(text), "srv", "cmd", "arg")
	}
	f.Fuzz(func(t *testing.T, file []byte, name, command, arg string) {
		path := filepath.Join(t.TempDir(), "config.toml")
		change, err := config.AddServer(path, config.Plugin{Name: "first", Command: "x", Enabled: true, Sandbox: true})
		if err != nil || change.Before != nil {
			t.Fatal(err)
		}
		before, beforeComments, ok := parsed(file)
		text, err := config.WithServer(file, config.Plugin{Name: name, Command: command, Args: []string{arg}, Enabled: true, Sandbox: true})
		if err != nil {
			return
		}
		if !ok {
			t.Fatalf("edited what is no TOML: %q", file)
		}
		if _, comments, ok := parsed(text); !ok || strings.Join(comments, "\n") != strings.Join(beforeComments, "\n") {
			t.Fatalf("%q became %q", file, text)
		}
		gone, err := config.WithoutServer(text, name)
		if err != nil {
			return // an array written inline
		}
		after, _, ok := parsed(gone)
		if !ok || len(after) != len(before) && len(after)+1 != len(before) {
			t.Fatalf("%q became %q", file, gone)
		}
	})
}
