package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// UserFileName and ProjectFileName are the two files of a configuration, the
// first in <home>, the second in the workspace. EnvFileName holds the keys, and
// ServersFileName names MCP servers of the workspace.
const (
	UserFileName    = "config.toml"
	ProjectFileName = "reasonix.toml"
	EnvFileName     = ".env"
	ServersFileName = ".mcp.json"
)

// Input is the world a configuration is loaded from.
type Input struct {
	Home      string         // reasonix's own directory, absolute; "": no user file
	Workspace string         // absolute; "": no project file
	Environ   []string       // NAME=value
	Flags     map[string]any // by dotted key; a string is read as by ParseValue
	// Texts stand in for files on disk, by path: what a file would mean if it
	// said this.
	Texts map[string][]byte
	// Granted reports whether the user granted a part of the project's files to
	// this workspace; nil: nothing is granted.
	Granted func(Part) bool
	// Warnings are what the caller found on the way; they come first.
	Warnings []Warning
}

// Load puts the configuration together. A broken file, a wrong type or a rule
// broken across keys is an error that joins one *Error for each (see Errors);
// then there is no Config. What stops nothing is in Config.Warnings.
func Load(in Input) (*Config, error) { return load(in, nil) }

// LoadLenient is Load for commands that must run with a broken file: the error
// is Load's, and the Config is made without the layers that are at fault, in the
// last resort of the defaults alone. It is never nil. Its Warnings are also about
// the layers left out.
func LoadLenient(in Input) (*Config, error) {
	l := newLoader(in, nil)
	c, err := l.load()
	if err == nil {
		return c, nil
	}
	c = loadGood(in, err)
	for _, w := range l.warnings() {
		if !slices.ContainsFunc(c.Warnings, func(had Warning) bool { return had.String() == w.String() }) {
			c.Warnings = append(c.Warnings, w)
		}
	}
	return c, err
}

// loadGood is the configuration without the layers that err is about.
func loadGood(in Input, err error) *Config {
	skip := map[string]bool{}
	for _, e := range Errors(err) {
		skip[e.File] = true
	}
	if c, again := load(in, skip); again == nil {
		return c
	}
	bare := Input{Home: in.Home, Workspace: in.Workspace, Environ: in.Environ, Warnings: in.Warnings}
	every := map[string]bool{userFile(in): true, projectFile(in): true, "environment": true}
	if c, again := load(bare, every); again == nil {
		return c
	}
	return &Config{UserFile: userFile(in), ProjectFile: projectFile(in), EnvFile: envFile(in)}
}

// Files are the paths of the user's file, the project's and the keys', "" where
// the directory is not known. They need not exist.
func Files(in Input) (user, project, env string) {
	return userFile(in), projectFile(in), envFile(in)
}

func userFile(in Input) string    { return under(in.Home, UserFileName) }
func envFile(in Input) string     { return under(in.Home, EnvFileName) }
func projectFile(in Input) string { return under(in.Workspace, ProjectFileName) }

func under(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// A loader holds what the steps of one Load share.
type loader struct {
	in      Input
	environ map[string]string
	expander
	skip   map[string]bool // files and variables left out
	layers []layered       // weakest first, parallel to kinds
	kinds  []Layer
	errs   []error

	granted, ungranted []Part // of the project's files

	project  projectEnv
	declared map[string]bool // names of servers that a TOML file has
	json     []server        // of .mcp.json, granted
	hooks    []Hook          // of the settings.json files
}

func load(in Input, skip map[string]bool) (*Config, error) { return newLoader(in, skip).load() }

func newLoader(in Input, skip map[string]bool) *loader {
	l := &loader{in: in, skip: skip, environ: environMap(in.Environ), declared: map[string]bool{}}
	l.expander = expander{environ: l.environ, home: in.Home, workspace: in.Workspace}
	return l
}

// warnings are those of the layers that were read.
func (l *loader) warnings() []Warning {
	var all []Warning
	for _, share := range l.layers {
		all = append(all, share.warnings...)
	}
	return all
}

func (l *loader) load() (*Config, error) {
	l.project = l.readProjectEnv()
	l.file(userFile(l.in), LayerUser)
	l.declare(l.layers[0].values)
	l.file(projectFile(l.in), LayerProject)
	l.servers(under(l.in.Workspace, ServersFileName))
	l.settings()
	l.add(LayerEnv, l.environment())
	l.add(LayerFlag, l.flags())
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	c, err := l.resolve()
	if err != nil {
		return nil, err
	}
	c.readSecrets(l.environ)
	c.markTrust(l)
	c.finishHooks(l)
	c.tellParts(l)
	c.inspect()
	if errs := c.validate(); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return c, nil
}

func environMap(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			m[name] = value
		}
	}
	return m
}

func (l *loader) add(kind Layer, share layered) {
	l.kinds = append(l.kinds, kind)
	l.layers = append(l.layers, share)
	l.errs = append(l.errs, share.errs...)
}

// file adds one file; one that is not there has nothing to say.
func (l *loader) file(path string, kind Layer) {
	if path == "" || l.skip[path] {
		l.add(kind, layered{})
		return
	}
	if _, given := l.in.Texts[path]; !given && kind == LayerProject && leadsOut(path) {
		l.add(kind, layered{warnings: []Warning{{Code: WarnLink, File: path, Text: "ignored: " + errLink.Error()}}})
		return
	}
	text, err := l.in.read(path)
	if absent(err) {
		l.add(kind, layered{})
		return
	}
	if err != nil {
		l.add(kind, layered{errs: []error{unreadable(path, err)}})
		return
	}
	d, err := parse(path, text)
	if err != nil {
		l.add(kind, layered{errs: []error{err}})
		return
	}
	share := d.check(kind, l.expand)
	if kind == LayerProject && len(share.errs) == 0 {
		l.declare(share.values)
		l.split(d, &share)
	}
	l.add(kind, share)
}

// declare notes the names of a TOML file's servers.
func (l *loader) declare(values map[string]any) {
	list, _ := values["plugins"].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		if name, ok := m["name"].(string); ok {
			l.declared[name] = true
		}
	}
}

// split leaves in the project's share what narrows, and what was granted.
func (l *loader) split(d *document, share *layered) {
	s := splitter{
		doc: d, share: share, user: l.layers[0].values,
		workspace: l.in.Workspace, env: l.project, granted: l.in.Granted, read: readPrompt,
	}
	s.split()
	l.granted, l.ungranted = append(l.granted, s.on...), append(l.ungranted, s.off...)
}

func (in Input) read(path string) ([]byte, error) {
	if text, ok := in.Texts[path]; ok {
		return text, nil
	}
	return readText(path)
}

func unreadable(path string, err error) *Error {
	return &Error{File: path, Want: "want a file that can be read", Text: rootCause(err)}
}

func rootCause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
