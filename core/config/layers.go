package config

import (
	"slices"
	"strings"
	"syscall"
)

// errNotDir is what reading below something that is no directory gives.
var errNotDir = syscall.ENOTDIR

// EnvName is the environment variable that sets k, "" when none does: keys below
// a name of the user's, and those only a file may set.
func (k Key) EnvName() string {
	if k.FileOnly || k.Retired || strings.Contains(k.Path, "<") {
		return ""
	}
	return "REASONIX_" + strings.ToUpper(strings.ReplaceAll(k.Path, ".", "_"))
}

// environment is the layer of REASONIX_* variables. An empty one counts as not
// set; names that are no key's are other people's.
func (l *loader) environment() layered {
	share := layered{values: map[string]any{}, origins: map[string]Origin{}, names: map[string][]string{}}
	if l.skip["environment"] {
		return share
	}
	for _, k := range Keys() {
		name := k.EnvName()
		text := l.environ[name]
		if name == "" || text == "" || l.skip[name] {
			continue
		}
		v, err := ParseValue(k, text)
		if err == nil {
			v, err = l.finish(k, v, LayerEnv)
		}
		if err != nil {
			share.errs = append(share.errs, &Error{File: name, Key: k.Path, Text: shown(k.Path, text), Want: err.Error()})
			continue
		}
		share.set(strings.Split(k.Path, "."), Origin{Layer: LayerEnv, Name: name, Value: v})
	}
	if l.environ["REASONIX_SECRETS_FROM_ENV"] != "" {
		share.warnings = append(share.warnings, Warning{
			Code: WarnUserOnly, File: "REASONIX_SECRETS_FROM_ENV", Keys: []string{"secrets.from_env"},
			Text: "ignored: only the user's own config.toml may set secrets.from_env",
		})
	}
	return share
}

// flags is the layer of command line flags.
func (l *loader) flags() layered {
	share := layered{values: map[string]any{}, origins: map[string]Origin{}, names: map[string][]string{}}
	for path, value := range l.in.Flags {
		k, name, err := Lookup(path)
		if err == nil && k.FileOnly {
			err = errFileOnly
		}
		if err == nil {
			value, err = flagValue(k, value)
		}
		if err == nil {
			value, err = l.finish(k, value, LayerFlag)
		}
		if err != nil {
			share.errs = append(share.errs, &Error{File: "flag", Key: path, Want: err.Error()})
			continue
		}
		parts, _ := SplitPath(name) // Lookup has split it before
		share.set(parts, Origin{Layer: LayerFlag, Name: name, Value: value})
	}
	return share
}

func flagValue(k Key, value any) (any, error) {
	if text, ok := value.(string); ok {
		return ParseValue(k, text)
	}
	return k.accept(value)
}

// finish gives a value from outside the files what check gives one from a file.
func (l *loader) finish(k Key, v any, layer Layer) (any, error) {
	if s, ok := v.(string); ok && k.Fallback && !slices.Contains(k.Enum, s) {
		return k.Default, nil
	}
	if !k.IsPath {
		return v, nil
	}
	switch t := v.(type) {
	case string:
		return l.expand(k, t, layer)
	case []any:
		for i := range t {
			s, err := l.expand(k, t[i].(string), layer)
			if err != nil {
				return nil, err
			}
			t[i] = s
		}
	case map[string]any:
		for name := range t {
			s, err := l.expand(k, t[name].(string), layer)
			if err != nil {
				return nil, err
			}
			t[name] = s
		}
	}
	return v, nil
}

// set notes a value and its origin. A table counts entry by entry.
func (s *layered) set(parts []string, o Origin) {
	put(s.values, parts, o.Value)
	m, ok := o.Value.(map[string]any)
	if !ok {
		s.note(parts, o)
		return
	}
	for name, v := range m {
		entry := o
		entry.Value = v
		s.note(append(slices.Clone(parts), name), entry)
	}
}

func (s *layered) note(parts []string, o Origin) {
	path := JoinPath(parts)
	s.origins[path] = o
	s.names[path] = parts
}

// shown is text unless key holds a secret.
func shown(key, text string) string {
	if secretPath(key) {
		return ""
	}
	return text
}
