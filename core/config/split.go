package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
)

// A splitter takes from a project's share of the configuration the parts that
// would let a run do or reach more than the user's own file does, and leaves
// those in it that the user granted.
type splitter struct {
	doc       *document
	share     *layered
	user      map[string]any // the user's layer
	workspace string
	env       projectEnv
	granted   func(Part) bool
	read      func(path string) ([]byte, error) // a file that a key names
	on, off   []Part
}

// split goes over every key that can widen.
func (s *splitter) split() {
	for _, k := range Keys() {
		path := strings.Split(k.Path, ".")
		value, ok := at(s.share.values, path)
		switch {
		case !k.Widens || !ok || strings.Contains(k.Path, "<"):
		case k.Path == "tools.enabled":
			s.tools(k, value.([]any))
		case k.Kind == KindStrings && k.Accumulate:
			s.list(k, value.([]any), func(v any) bool { return s.widens(k, v) })
		case k.Kind == KindMap:
			s.table(k, value.(map[string]any))
		default:
			s.scalar(k, value)
		}
	}
	s.blocks("plugins", PartServer)
	s.blocks("hooks", PartHook)
	s.providers()
	s.defaultModel()
}

// counts notes a part and reports whether it counts.
func (s *splitter) counts(p Part, offset int) bool {
	p.File = s.doc.file
	p.Line, p.Column = s.doc.position(offset)
	if s.granted != nil && p.Hash != "" && s.granted(p) {
		s.on = append(s.on, p)
		return true
	}
	s.off = append(s.off, p)
	return false
}

// standing is what the user's own file says about k, or its default.
func (s *splitter) standing(k Key) any {
	if v, ok := at(s.user, strings.Split(k.Path, ".")); ok {
		return v
	}
	return k.Default
}

// root is the directory a session writes to when the user has the say.
func (s *splitter) root() string {
	root, _ := at(s.user, []string{"sandbox", "workspace_root"})
	dir, _ := root.(string)
	return cmp.Or(dir, s.workspace)
}

// widens reports whether a value of k lets a run do more than what stands.
func (s *splitter) widens(k Key, v any) bool {
	stands := s.standing(k)
	if list, ok := stands.([]any); ok {
		if slices.Contains(list, v) {
			return false
		}
	} else if stands == v {
		return false
	}
	if k.Kind == KindInt {
		return limit(k, v) > limit(k, stands)
	}
	text, _ := v.(string)
	switch k.Path {
	case "permissions.mode":
		strict := []any{"allow", "ask", "deny"}
		return slices.Index(strict, v) < slices.Index(strict, stands)
	case "sandbox.bash":
		return v == "off"
	case "sandbox.network", "permissions.read_only_commands":
		return v == true
	case "sandbox.workspace_root":
		return !inside(s.root(), cmp.Or(text, s.workspace))
	case "sandbox.allow_write":
		return !inside(s.root(), text)
	case "agent.planner_model":
		return text != "" // without one the text goes to fewer places
	case "skills.paths":
		return !inside(s.workspace, text)
	default:
		return true
	}
}

// limit is the number that a value of k stands for: to wait longer, or to send more,
// is what widens. A limit of 0 is the default one, unless 0 is less than all others.
func limit(k Key, v any) int64 {
	n, _ := v.(int64)
	if i, ok := v.(int); ok {
		n = int64(i)
	}
	if def, ok := k.Default.(int); ok && n == 0 && k.Path != "tools.mcp_start_grace_seconds" {
		n = int64(def)
	}
	return n
}

func (s *splitter) scalar(k Key, v any) {
	if !s.widens(k, v) {
		return
	}
	if k.Kind == KindStrings {
		if list := v.([]any); len(list) > 0 && !s.counts(newPart(k.Path, kindOf(k), v, printable(render(v))), s.offset(k.Path)) {
			s.drop(k.Path)
		}
		return
	}
	text := printable(render(v))
	if str, ok := v.(string); ok {
		text = shownText(str)
	}
	if k.Path == "agent.system_prompt_file" {
		v, text = s.withContent(v.(string))
	}
	if !s.counts(newPart(k.Path, kindOf(k), v, text), s.offset(k.Path)) {
		s.drop(k.Path)
	}
}

// withContent is the value of a key that names a file, and its text: what the file says
// belongs to it.
func (s *splitter) withContent(file string) (value any, text string) {
	if file == "" {
		return file, shownText(file)
	}
	content, err := s.read(file)
	if err != nil {
		return map[string]any{"file": file}, fmt.Sprintf("%s (cannot be read: %s)", shownText(file), rootCause(err))
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	return map[string]any{"file": file, "sha256": digest}, fmt.Sprintf("%s (%d bytes, SHA-256 %s)", shownText(file), len(content), digest)
}

// defaultModel makes a part of a default_model that is of a provider of the project's
// own. Among the user's providers a project may choose: each is where the user sends
// conversations.
func (s *splitter) defaultModel() {
	const key = "default_model"
	ref, ok := s.share.values[key].(string)
	if ok && s.foreign(ref) && !s.counts(newPart(key, PartModel, ref, shownText(ref)), s.offset(key)) {
		s.drop(key)
	}
}

// foreign reports whether ref means, or may mean, a model of a provider that the
// project alone has.
func (s *splitter) foreign(ref string) bool {
	ours := ownProviders(s.user)
	theirs, _ := s.share.values["providers"].([]any)
	var c Config
	for _, v := range mergeNamed(clone(ours), theirs) {
		p := namesOf(v.(map[string]any))
		p.FromProject = indexOf(ours, p.Name) < 0
		c.Providers = append(c.Providers, p)
	}
	found, _ := c.meant(ref)
	return slices.ContainsFunc(found, func(p *Provider) bool { return p.FromProject })
}

// namesOf is as much of a provider as it takes to find its models by name.
func namesOf(block map[string]any) Provider {
	var p Provider
	p.Name, _ = block["name"].(string)
	p.Model, _ = block["model"].(string)
	p.Default, _ = block["default"].(string)
	list, _ := block["models"].([]any)
	for _, v := range list {
		p.Models = append(p.Models, v.(string))
	}
	return p
}

// ownProviders are the [[providers]] of the user's layer, or the built-in one.
func ownProviders(user map[string]any) []any {
	if ours, _ := user["providers"].([]any); len(ours) > 0 {
		return ours
	}
	return []any{preset()}
}

// list makes a part of every element that widens.
func (s *splitter) list(k Key, list []any, widens func(any) bool) {
	places := s.doc.elementsOf(strings.Split(k.Path, "."))
	var kept []any
	for i, v := range list {
		offset := s.offset(k.Path)
		if i < len(places) {
			offset = places[i].start
		}
		if !widens(v) || s.counts(newPart(k.Path, kindOf(k), v, shownText(v.(string))), offset) {
			kept = append(kept, v)
		}
	}
	s.keep(k.Path, list, kept)
}

// keep puts what is left of a list in its place. Nothing left is as if the key
// were not there: an empty list may mean everything.
func (s *splitter) keep(path string, all, kept []any) {
	switch {
	case len(kept) == len(all):
	case len(kept) == 0:
		s.drop(path)
	default:
		put(s.share.values, strings.Split(path, "."), kept)
		o := s.share.origins[path]
		o.Value = kept
		s.share.origins[path] = o
	}
}

// economyTools are those that a session in the work mode economy has anyway.
var economyTools = []any{"read_file", "edit_file", "write_file", "bash"}

// tools splits tools.enabled: to name some of the tools the user has narrows.
func (s *splitter) tools(k Key, list []any) {
	own, _ := s.standing(k).([]any)
	economy, _ := at(s.user, []string{"agent", "work_mode"})
	if len(own) == 0 && economy != "economy" {
		return // the user has all of them
	}
	if len(list) == 0 {
		if !s.counts(newPart(k.Path, kindOf(k), list, "[] (all tools)"), s.offset(k.Path)) {
			s.drop(k.Path)
		}
		return
	}
	s.list(k, list, func(v any) bool {
		return !slices.Contains(own, v) && (economy != "economy" || !slices.Contains(economyTools, v))
	})
}

// table makes a part of every entry of a table of strings.
func (s *splitter) table(k Key, m map[string]any) {
	stands, _ := s.standing(k).(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		key := k.Path + "." + quoteKey(name)
		text := m[name].(string)
		if stands[name] != text && !s.counts(newPart(key, kindOf(k), text, shownText(text)), s.offset(key)) {
			s.drop(key)
		}
	}
}

// blocks makes a part of every [[kind]].
func (s *splitter) blocks(kind string, about PartKind) {
	list, _ := s.share.values[kind].([]any)
	ours, _ := s.user[kind].([]any)
	for i, v := range list {
		m := v.(map[string]any)
		key := blockKey(kind, m)
		part := newPart(key, about, m, shownTable(kind, m))
		if about == PartServer {
			part = serverPart(key, m, s.env)
		}
		if name, _ := m["name"].(string); indexOf(ours, name) >= 0 {
			part.Effect += "; it is laid over your own of that name and gets the rest of it, keys included"
		}
		if !s.counts(part, s.doc.block(kind, i).start) {
			s.dropBlock(kind, m)
		}
	}
}

func blockKey(kind string, m map[string]any) string {
	name, _ := m["name"].(string)
	return JoinPath([]string{kind, name})
}

// providers makes a part of what a block says about where requests go and what
// they carry. Without a grant a block over one of the user's is left out, and one
// of the project's own is there and cannot be used: see Provider.Untrusted.
func (s *splitter) providers() {
	list, _ := s.share.values["providers"].([]any)
	ours := ownProviders(s.user)
	for i, v := range list {
		m := v.(map[string]any)
		over := indexOf(ours, m["name"].(string)) >= 0
		route := routeOf(m, over)
		if len(route) == 0 || !over && local(m) {
			continue
		}
		part := newPart(blockKey("providers", m), PartProvider, route, shownTable("providers", route))
		if _, own := route["api_key_env"]; over && !own && routes(route) {
			part.Effect += ", with the key of your own provider of that name"
		}
		if s.counts(part, s.doc.block("providers", i).start) {
			continue
		}
		if over {
			s.dropBlock("providers", m)
		} else {
			s.share.untrusted = append(s.share.untrusted, m["name"].(string))
		}
	}
}

// routing are the fields that say where a provider's requests go and what they
// carry.
var routing = []string{"base_url", "chat_url", "models_url", "headers", "extra_body", "api_key_env", "kind"}

// pricing are the fields by which a limit of costs is kept.
var pricing = []string{"price", "prices"}

// routeOf is the part of a block that routes; nil when it has none. In a block of
// the project's own, kind and api_key_env route nothing by themselves; laid over
// a block of the user's they send another key there, and prices lift a limit.
func routeOf(block map[string]any, over bool) map[string]any {
	route := map[string]any{}
	found := false
	for _, field := range routing {
		v, ok := block[field]
		if !ok {
			continue
		}
		route[field] = v
		found = found || over || field != "api_key_env" && field != "kind"
	}
	for _, field := range pricing {
		if v, ok := block[field]; ok && over {
			route[field], found = v, true
		}
	}
	if !found {
		return nil
	}
	return route
}

// routes reports whether a route is about more than prices.
func routes(route map[string]any) bool {
	return slices.ContainsFunc(routing, func(field string) bool { return route[field] != nil })
}

// local reports whether a block wants no key and speaks to this machine alone:
// that takes nothing of the user's anywhere.
func local(block map[string]any) bool {
	if key, ok := block["api_key_env"].(string); !ok || key != "" {
		return false
	}
	for _, field := range []string{"base_url", "chat_url", "models_url"} {
		text, _ := block[field].(string)
		if u, err := url.Parse(text); text != "" && (err != nil || !loopback(u.Hostname())) {
			return false
		}
	}
	return true
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// offset is where key stands in the document.
func (s *splitter) offset(key string) int {
	parts := s.share.names[key]
	i := slices.IndexFunc(s.doc.entries, func(e entry) bool { return slices.Equal(s.doc.named(e.path), parts) })
	if i < 0 {
		return 0
	}
	return s.doc.entries[i].key.start
}

// drop takes key out of the share, and what is below it.
func (s *splitter) drop(key string) {
	if parts, err := SplitPath(key); err == nil {
		drop(s.share.values, parts)
	}
	for path := range s.share.origins {
		if path == key || strings.HasPrefix(path, key+".") {
			delete(s.share.origins, path)
			delete(s.share.names, path)
		}
	}
}

// dropBlock takes a block out of the share.
func (s *splitter) dropBlock(kind string, m map[string]any) {
	list, _ := s.share.values[kind].([]any)
	i := indexOf(list, m["name"].(string))
	s.share.values[kind] = slices.Delete(slices.Clone(list), i, i+1)
	s.drop(blockKey(kind, m))
}

// kindOf is what a key's part is about.
func kindOf(k Key) PartKind {
	switch table, _, _ := strings.Cut(k.Path, "."); {
	case k.Path == "permissions.allow":
		return PartRule
	case table == "permissions":
		return PartPermissions
	case table == "sandbox":
		return PartSandbox
	case strings.HasPrefix(k.Path, "tools.shell."):
		return PartShell
	case table == "environment":
		return PartEnvironment
	case table == "skills":
		return PartSkills
	case strings.HasPrefix(k.Path, "agent.system_prompt"):
		return PartPrompt
	case strings.HasPrefix(k.Path, "agent.") && strings.Contains(k.Path, "_model"):
		return PartModel
	default:
		return PartTools
	}
}

// offWarning is the one warning about the parts that do not count.
func offWarning(parts []Part) Warning {
	var keys []string
	for _, p := range parts {
		if key := p.Label(); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	subject := "1 part of this repository's configuration is off until you grant it"
	if len(parts) != 1 {
		subject = fmt.Sprintf("%d parts of this repository's configuration are off until you grant them", len(parts))
	}
	first := parts[0]
	return Warning{
		Code: WarnWidens, File: first.File, Line: first.Line, Column: first.Column, Keys: keys,
		Text: subject + ": " + strings.Join(keys, ", ") + "; see and grant with `reasonix permissions trust`",
	}
}
