package setup

import (
	"bytes"
	"slices"

	"reasonix/core/config"
)

// projectExample is the example file with every key commented out: a project's
// file should set what the project cares about and hide nothing else of the
// user's. Table headers stay, so that removing one # sets a key; a block's
// header goes, because a block needs a name.
func projectExample() []byte {
	var out []byte
	for line := range bytes.Lines(config.Example()) {
		blank := len(bytes.TrimSpace(line)) == 0
		table := line[0] == '[' && !bytes.HasPrefix(line, []byte("[["))
		if !blank && !table && line[0] != '#' {
			out = append(out, "# "...)
		}
		out = append(out, line...)
	}
	return out
}

// answers are what the user chose.
type answers struct {
	provider config.Provider // name, display name, base URL and key variable
	known    *config.Provider
	model    string
	key      string
	store    bool // whether key is new
}

func (a *answers) ref() string { return a.provider.Name + "/" + a.model }

// A setting is one key to set.
type setting struct {
	path  []string
	value any
}

// settings are the keys the answers are about: those of a new provider, or what
// a known one lacks.
func (a *answers) settings() []setting {
	var list []setting
	set := func(field string, value any) {
		list = append(list, setting{[]string{"providers", a.provider.Name, field}, value})
	}
	if p := a.known; p == nil {
		if a.provider.DisplayName != "" {
			set("display_name", a.provider.DisplayName)
		}
		set("base_url", a.provider.BaseURL)
		set("models", []any{a.model})
		set("api_key_env", *a.provider.APIKeyEnv)
	} else {
		if models := modelsOf(p); !slices.Contains(models, a.model) {
			set("models", anys(append(models, a.model)))
		}
		if p.APIKeyEnv == nil {
			set("api_key_env", *a.provider.APIKeyEnv)
		}
	}
	return append(list, setting{[]string{"default_model"}, a.ref()})
}

// preamble begins a file that setup makes.
const preamble = `# Every key, with its default and a comment, is in reasonix.example.toml.
# What counts here, and where it is from: reasonix config show --origin
`

// change is the edit of the user's file that the answers mean. A new file says
// what was answered and nothing else, so that later defaults reach it.
func (a *answers) change(path string) (config.Change, error) {
	change := config.Change{Path: path}
	var err error
	for i, s := range a.settings() {
		key := config.JoinPath(s.path)
		if i == 0 {
			// The first edit knows the built-in provider, which may have to be
			// written out.
			change, err = config.Propose(path, key, s.value)
		} else {
			change.After, err = config.Set(change.After, key, s.value)
		}
		if err != nil {
			return change, err
		}
	}
	if change.Before == nil {
		change.After = append([]byte(preamble), change.After...)
	}
	return change, nil
}

// modelsOf lists what p offers: model first, then models, each once.
func modelsOf(p *config.Provider) []string {
	var names []string
	for _, m := range append([]string{p.Model}, p.Models...) {
		if m != "" && !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return names
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
