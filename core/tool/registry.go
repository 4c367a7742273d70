package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"reasonix/core/message"
)

var builtins struct {
	sync.RWMutex
	byName map[string]Tool
}

// RegisterBuiltin adds a built-in. It is called from init and panics on a
// duplicate or a schema that is not JSON.
func RegisterBuiltin(t Tool) {
	builtins.Lock()
	defer builtins.Unlock()
	if builtins.byName == nil {
		builtins.byName = map[string]Tool{}
	}
	if _, dup := builtins.byName[t.Name()]; dup {
		panic("tool: registered twice: " + t.Name())
	}
	builtins.byName[t.Name()] = t
}

// Builtins lists the registered built-ins by name. They describe; only Bind's
// result runs.
func Builtins() []Tool {
	builtins.RLock()
	defer builtins.RUnlock()
	ts := make([]Tool, 0, len(builtins.byName))
	for _, t := range builtins.byName {
		ts = append(ts, t)
	}
	sort.Slice(ts, func(i, j int) bool { return ts[i].Name() < ts[j].Name() })
	return ts
}

// Registry is the tools of one session.
type Registry struct {
	byName  map[string]Tool
	schemas []message.ToolSchema
	also    func(name string) (Tool, bool)
}

// NewRegistry binds the enabled built-ins (all when enabled is empty) and adds
// extra tools. A name in enabled that no tool has is an error.
func NewRegistry(env Env, enabled []string, extra ...Tool) (*Registry, error) {
	r := &Registry{byName: map[string]Tool{}}
	all := Builtins()
	for _, name := range enabled {
		if !slices.ContainsFunc(all, func(t Tool) bool { return t.Name() == name }) {
			return nil, fmt.Errorf("tools.enabled: no built-in tool %q", name)
		}
	}
	if len(enabled) > 0 {
		all = slices.DeleteFunc(all, func(t Tool) bool { return !slices.Contains(enabled, t.Name()) })
	}
	for _, t := range append(all, extra...) {
		if b, ok := t.(Binder); ok {
			bound, err := b.Bind(env)
			if err != nil {
				return nil, fmt.Errorf("bind tool %s: %w", t.Name(), err)
			}
			t = bound
		}
		if err := r.add(t); err != nil {
			return nil, err
		}
	}
	sort.Slice(r.schemas, func(i, j int) bool { return r.schemas[i].Name < r.schemas[j].Name })
	return r, nil
}

func (r *Registry) add(t Tool) error {
	if _, dup := r.byName[t.Name()]; dup {
		return fmt.Errorf("tool %s: two tools have this name", t.Name())
	}
	schema, err := Canonical(t.Schema())
	if err != nil {
		return fmt.Errorf("tool %s: schema: %w", t.Name(), err)
	}
	r.byName[t.Name()] = t
	r.schemas = append(r.schemas, message.ToolSchema{Name: t.Name(), Description: t.Description(), Parameters: schema})
	return nil
}

// Schemas are what the model is told, by name.
func (r *Registry) Schemas() []message.ToolSchema { return slices.Clone(r.schemas) }

// Also makes Get find tools that the model is not told of: those that a server offers
// since the list was made, or whose schemas it looks up by itself. It is called before
// the registry is used.
func (r *Registry) Also(find func(name string) (Tool, bool)) { r.also = find }

// Get looks a tool up.
func (r *Registry) Get(name string) (Tool, bool) {
	if t, ok := r.byName[name]; ok || r.also == nil {
		return t, ok
	}
	return r.also(name)
}

// Names lists the tools, sorted.
func (r *Registry) Names() []string {
	names := make([]string, len(r.schemas))
	for i, s := range r.schemas {
		names[i] = s.Name
	}
	return names
}

// Canonical returns schema with sorted keys and without insignificant space, so
// that equal schemas are equal bytes.
func Canonical(schema json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSuffix(buf.String(), "\n")), nil
}
