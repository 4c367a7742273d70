package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
)

// secrets are what <home>/.env and the environment hold. Keys of the environment
// are used only where the user opted in; all are redacted.
type secrets struct {
	file     map[string]string
	lines    map[string]int
	exported map[string]string // variables of the shell that hold a secret
	broken   string            // why the file could not be read; "" when it could
}

// MissingKeyError says that a provider has no key, before any request is sent.
type MissingKeyError struct {
	Provider string
	Name     string // the variable; "" when the provider names none
	File     string // where it is looked for
	Builtin  bool   // the provider is the one nobody configured
	Exported bool   // the shell has it, which does not count
	Reason   string // more to say; may be empty
	Project  string // the project file that makes the provider untrusted; "" otherwise
}

func (e *MissingKeyError) Error() string {
	switch {
	case e.Project != "":
		return fmt.Sprintf("provider %s is off and gets no key: %s says where its requests go, which you have not granted; see and grant it with `reasonix permissions trust`, or copy its [[providers]] block into your own config.toml", e.Provider, e.Project)
	case e.Name == "":
		return fmt.Sprintf(`provider %s names no key: add api_key_env = "%s" to its block, or api_key_env = "" when it wants none`, e.Provider, keyName(e.Provider))
	}
	text := fmt.Sprintf("provider %s: no key: %s is not set in %s", e.Provider, e.Name, e.File)
	if e.Reason != "" {
		text = fmt.Sprintf("provider %s: no key: %s", e.Provider, e.Reason)
	}
	if e.Exported {
		text += fmt.Sprintf("; %s is exported in your shell, but exported variables are not read", e.Name)
	}
	text += fmt.Sprintf("; store it with `reasonix setup key %s`", e.Name)
	if e.Exported {
		text += ", or set from_env = true under [secrets] in your own config.toml"
	}
	if e.Builtin {
		text += "; or choose another model: reasonix setup"
	}
	return text
}

// ExitCode is that of credentials.
func (*MissingKeyError) ExitCode() int { return exitConfig }

// readSecrets gathers what must not be shown: the lines of <home>/.env and the
// variables that hold a secret. A file that cannot be read is a warning here and
// an error for whoever needs a key.
func (c *Config) readSecrets(environ map[string]string) {
	c.secrets = secrets{file: map[string]string{}, lines: map[string]int{}, exported: map[string]string{}}
	for i := range c.Providers {
		if name := c.Providers[i].APIKeyEnv; name != nil && environ[*name] != "" {
			c.secrets.exported[*name] = environ[*name]
		}
	}
	for _, name := range secretVariables() {
		if environ[name] != "" {
			c.secrets.exported[name] = environ[name]
		}
	}
	if c.EnvFile == "" {
		return
	}
	text, err := readText(c.EnvFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return
	}
	if err != nil {
		c.secrets.broken = fmt.Sprintf("read %s: %s", c.EnvFile, rootCause(err))
		c.warnEnv(Warning{File: c.EnvFile, Text: "cannot be read: " + rootCause(err)})
		return
	}
	lines, bad := parseEnv(c.EnvFile, text)
	for _, l := range lines {
		c.secrets.file[l.name], c.secrets.lines[l.name] = l.value, l.line
	}
	c.Warnings = append(c.Warnings, bad...)
	info, err := os.Stat(c.EnvFile)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		c.warnEnv(Warning{File: c.EnvFile, Text: fmt.Sprintf("holds keys and can be read by others (mode %04o): chmod 600 it", info.Mode().Perm())})
	}
}

func (c *Config) warnEnv(w Warning) {
	w.Code = WarnEnvFile
	c.Warnings = append(c.Warnings, w)
}

// Key is p's key: "" when p wants none, a *MissingKeyError when there is none to
// be had. <home>/.env comes first; the environment counts only when the user's
// own file says [secrets] from_env = true.
func (c *Config) Key(p *Provider) (string, error) {
	key, _, err := c.findKey(p)
	return key, err
}

// KeySource says where p's key comes from, "file:line" or "env NAME": "" when
// it has or wants none.
func (c *Config) KeySource(p *Provider) string {
	_, source, _ := c.findKey(p)
	return source
}

func (c *Config) findKey(p *Provider) (key, source string, err error) {
	missing := &MissingKeyError{Provider: p.Name, File: c.EnvFile}
	if p.Untrusted {
		missing.Project = c.ProjectFile
		return "", "", missing
	}
	if p.Kind == "demo" || p.APIKeyEnv != nil && *p.APIKeyEnv == "" {
		return "", "", nil
	}
	if p.APIKeyEnv == nil {
		return "", "", missing
	}
	name := *p.APIKeyEnv
	missing.Name, missing.Builtin = name, !c.presetHidden && p.Name == preset()["name"]
	if value := c.secrets.file[name]; value != "" {
		return value, fmt.Sprintf("%s:%d", c.EnvFile, c.secrets.lines[name]), nil
	}
	if value := c.secrets.exported[name]; value != "" && c.Secrets.FromEnv {
		return value, "env " + name, nil
	}
	if line := c.secrets.lines[name]; line > 0 {
		missing.Reason = fmt.Sprintf("%s is empty in %s (line %d)", name, c.EnvFile, line)
	}
	if c.secrets.broken != "" {
		missing.Reason = c.secrets.broken
	}
	missing.Exported = c.secrets.exported[name] != ""
	return "", "", missing
}

// secretVariables are the variables that set a secret key of the table.
func secretVariables() []string {
	var names []string
	for _, k := range Keys() {
		if name := k.EnvName(); k.Secret && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// SecretNames lists the variables that hold secrets, sorted: provider keys and
// those of secret keys, REASONIX_SERVE_TOKEN among them. They are removed from
// every child's environment.
func (c *Config) SecretNames() []string {
	seen := map[string]bool{}
	for name := range c.secrets.file {
		seen[name] = true
	}
	for i := range c.Providers {
		if name := c.Providers[i].APIKeyEnv; name != nil && *name != "" {
			seen[*name] = true
		}
	}
	for _, name := range secretVariables() {
		seen[name] = true
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// shortest is the length below which a value is no secret worth hiding: it would
// take ordinary words out of the output.
const shortest = 4

// SecretValues lists every secret the configuration knows, longest first, so
// that one which contains another is redacted whole.
func (c *Config) SecretValues() []string {
	var values []string
	add := func(v string) {
		if len(v) >= shortest && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	for _, v := range c.secrets.file {
		add(v)
	}
	for _, v := range c.secrets.exported {
		add(v)
	}
	add(c.Serve.Token)
	add(c.Serve.PasswordHash)
	for path, origins := range c.origins {
		if !secretPath(path) {
			continue
		}
		for _, o := range origins {
			if s, ok := o.Value.(string); ok && !strings.Contains(s, "${") {
				add(strings.TrimPrefix(s, "Bearer "))
			}
		}
	}
	for _, s := range c.Servers() {
		for _, v := range []string{s.ClientSecret, s.PrivateKey, s.IDPClientSecret, s.IDToken} {
			add(v)
		}
		for _, m := range []map[string]string{s.Env, s.Headers} {
			for name, v := range m {
				if secretName(name) {
					add(strings.TrimPrefix(v, "Bearer "))
				}
			}
		}
	}
	slices.SortFunc(values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return values
}

// Scrub is environ without the variables that hold secrets (see SecretNames), in
// either case, as Windows does not tell them apart.
func (c *Config) Scrub(environ []string) []string {
	names := c.SecretNames()
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	})
}
