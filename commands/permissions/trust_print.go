package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/trust"
)

// shownPart is a part in JSON.
type shownPart struct {
	ID      string     `json:"id"`
	Part    string     `json:"part"`
	Kind    string     `json:"kind"`
	Value   string     `json:"value"`
	Effect  string     `json:"effect,omitempty"`
	File    string     `json:"file,omitempty"`
	Line    int        `json:"line,omitempty"`
	Column  int        `json:"column,omitempty"`
	Granted *time.Time `json:"granted,omitempty"`
}

// shownTrust is what --show prints as JSON.
type shownTrust struct {
	Workspace string      `json:"workspace"`
	Ungranted []shownPart `json:"ungranted"`
	Granted   []shownPart `json:"granted"`
	// Stale are grants of what the files say no longer.
	Stale    []shownPart `json:"stale"`
	Problems []string    `json:"problems"`
}

func shownOf(p config.Part) shownPart {
	return shownPart{
		ID: p.ID(), Part: p.Label(), Kind: string(p.Kind), Value: p.Text, Effect: p.Effect,
		File: slash(p.File), Line: p.Line, Column: p.Column,
	}
}

func shownGrant(g trust.Grant) shownPart {
	return shownPart{ID: g.Hash[:min(idLength, len(g.Hash))], Part: g.Part, Kind: g.Kind, Value: g.What, Granted: &g.Granted}
}

// idLength is how much of a hash is shown, as in config.Part.ID.
const idLength = 8

// list is --show. It runs with a broken file and says what is wrong with it.
func (t *truster) list() error {
	cfg, broken := config.LoadLenient(t.input())
	out := shownTrust{Workspace: slash(t.dir), Ungranted: []shownPart{}, Granted: []shownPart{}, Stale: []shownPart{}, Problems: []string{}}
	for _, p := range t.pick(cfg.Ungranted) {
		out.Ungranted = append(out.Ungranted, shownOf(p))
	}
	grants := trust.Open(t.home).List(t.dir)
	for _, p := range t.pick(cfg.Granted) {
		shown := shownOf(p)
		if i := slices.IndexFunc(grants, func(g trust.Grant) bool { return g.Hash == p.Hash }); i >= 0 {
			shown.Granted = &grants[i].Granted
		}
		out.Granted = append(out.Granted, shown)
	}
	for _, g := range grants {
		counts := slices.ContainsFunc(cfg.Granted, func(p config.Part) bool { return p.Hash == g.Hash })
		if !counts && t.means(g.Part, g.Hash) {
			out.Stale = append(out.Stale, shownGrant(g))
		}
	}
	for _, e := range config.Errors(broken) {
		out.Problems = append(out.Problems, slash(e.Error()))
	}
	if *t.format == cmdutil.JSON {
		if err := cmdutil.PrintJSON(t.app.Out, out); err != nil {
			return err
		}
		return cmdutil.Exit(exitOf(broken), nil)
	}
	t.warn(cfg)
	t.printList(out)
	for _, p := range out.Problems {
		fmt.Fprintf(t.app.Err, "error: %s\n", p)
	}
	return cmdutil.Exit(exitOf(broken), nil)
}

func exitOf(broken error) int {
	if broken != nil {
		return cmdutil.CodeConfig
	}
	return cmdutil.CodeOK
}

func (t *truster) printList(out shownTrust) {
	if len(out.Ungranted)+len(out.Granted)+len(out.Stale) == 0 {
		fmt.Fprintln(t.app.Out, "nothing here widens what a run may do, and nothing is granted")
		return
	}
	for _, group := range []struct {
		title string
		parts []shownPart
	}{
		{"off until you grant it", out.Ungranted}, {"granted", out.Granted}, {"granted, and no longer in the files", out.Stale},
	} {
		if len(group.parts) == 0 {
			continue
		}
		fmt.Fprintf(t.app.Out, "%s:\n\n", group.title)
		for i, p := range group.parts {
			t.printPart(i+1, p)
		}
		fmt.Fprintln(t.app.Out)
	}
}

// printPart shows one part: key and value, place and id, effect.
func (t *truster) printPart(number int, p shownPart) {
	value := p.Value
	if value != "" {
		value = " = " + value
	}
	fmt.Fprintf(t.app.Out, "%3d  %s%s\n", number, p.Part, value)
	place := p.ID
	if p.File != "" {
		place = fmt.Sprintf("%s:%d, %s", filepath.Base(p.File), p.Line, p.ID)
	}
	if p.Granted != nil {
		place += ", granted " + p.Granted.Format("2006-01-02 15:04 MST")
	}
	fmt.Fprintf(t.app.Out, "     at %s\n", place)
	if p.Effect != "" {
		fmt.Fprintf(t.app.Out, "     means: %s\n", p.Effect)
	}
}

func (t *truster) printOff(off []config.Part) {
	fmt.Fprintf(t.app.Out, "The configuration of %s asks for %s that your own does not give:\n\n", slash(t.dir), cmdutil.Count(len(off), "thing"))
	for i, p := range off {
		t.printPart(i+1, shownOf(p))
	}
	fmt.Fprintln(t.app.Out)
}

// changed is what granting and revoking print as JSON.
type changed struct {
	Workspace string      `json:"workspace"`
	Granted   []shownPart `json:"granted"`
	Revoked   []shownPart `json:"revoked"`
}

func (t *truster) printGranted(parts []config.Part) error {
	out := changed{Workspace: slash(t.dir), Granted: []shownPart{}, Revoked: []shownPart{}}
	for _, p := range parts {
		out.Granted = append(out.Granted, shownOf(p))
	}
	if *t.format == cmdutil.JSON {
		return cmdutil.PrintJSON(t.app.Out, out)
	}
	text := "nothing was granted\n"
	if len(parts) > 0 {
		text = fmt.Sprintf("granted %s; what it says counts from the next session on\n", cmdutil.Count(len(parts), "part"))
	}
	_, err := fmt.Fprint(t.app.Out, text)
	return err
}

func (t *truster) printRevoked(grants []trust.Grant) error {
	out := changed{Workspace: slash(t.dir), Granted: []shownPart{}, Revoked: []shownPart{}}
	for _, g := range grants {
		out.Revoked = append(out.Revoked, shownGrant(g))
	}
	if *t.format == cmdutil.JSON {
		return cmdutil.PrintJSON(t.app.Out, out)
	}
	for _, g := range out.Revoked {
		fmt.Fprintf(t.app.Out, "revoked %s = %s\n", g.Part, g.Value)
	}
	if len(grants) == 0 {
		_, err := fmt.Fprintf(t.app.Out, "nothing is granted in %s\n", slash(t.dir))
		return err
	}
	return nil
}

func labels(parts []config.Part) []string {
	var names []string
	for _, p := range parts {
		if !slices.Contains(names, p.Label()) {
			names = append(names, p.Label())
		}
	}
	return names
}

// slash shows a path with forward slashes, on every system.
func slash(s string) string { return filepath.ToSlash(s) }
