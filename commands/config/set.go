package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
)

func newSet(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change one key and keep the rest of the file as it is",
		Long: `Change one key of your own file, or of the project's with --local.

Every comment, blank line and other key stays; the old file is kept beside it as .bak. The value's type
is checked, and a change that would break the configuration is refused. A list is a TOML array or names
with commas between them; a table is a TOML inline table. Providers and plugins are addressed by name;
a name with a dot is quoted. --unset removes the key. When a stronger layer hides the new value, that is
said, and so is what a project's file widens, which is off until it is granted. Provider keys are stored
with: reasonix setup key NAME.`,
		Example: `  reasonix config set default_model deepseek/deepseek-v4-pro
  reasonix config set permissions.allow '["Bash(go test:*)", "Bash(git status:*)"]'
  reasonix config set permissions.deny '["Bash(git push*)"]' --local
  reasonix config set providers.deepseek.base_url https://proxy.example.com
  reasonix config set 'providers.deepseek.model_overrides."deepseek-v4-pro".context_window' 128000
  reasonix config set agent.temperature --unset`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: completeSet(app),
	}
	local := cmd.Flags().Bool("local", false, "change the project's reasonix.toml")
	unset := cmd.Flags().Bool("unset", false, "remove the key")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if wantArgs := map[bool]int{false: 2, true: 1}[*unset]; len(args) != wantArgs {
			return cmdutil.Usagef("want KEY VALUE, or KEY with --unset")
		}
		s := setter{app: app, local: *local}
		if !*unset {
			s.value = args[1]
		}
		return s.run(args[0])
	}
	return cmd
}

// A setter is one `config set`.
type setter struct {
	app   *cmdutil.App
	local bool
	value any // nil: unset
	key   config.Key
	path  string // canonical
	file  string
	layer config.Layer
}

func (s *setter) run(key string) error {
	var err error
	if s.key, s.path, err = config.Lookup(key); err != nil {
		return unknownKey(err)
	}
	if err := s.pickFile(); err != nil {
		return err
	}
	// Another process may write the file between our reading and our writing.
	for range maxTries {
		if err = s.write(); !errors.Is(err, config.ErrChanged) {
			break
		}
	}
	return err
}

// maxTries bounds how often a change is made anew from a file that changed.
const maxTries = 50

func (s *setter) write() error {
	change, err := config.Propose(s.file, s.path, s.value)
	if err != nil {
		return unknownKey(err)
	}
	if !change.Changed() {
		return s.reportSame()
	}
	after, err := s.try(change)
	if err != nil {
		return err
	}
	if err := change.Write(); err != nil {
		return err
	}
	return s.report(change, after)
}

// pickFile finds the file to change.
func (s *setter) pickFile() error {
	user, project, _ := config.Files(input(s.app))
	if s.local {
		if _, err := s.app.RequireWorkDir(); err != nil {
			return err
		}
		if s.key.UserOnly && s.value != nil {
			return cmdutil.Usagef("%s counts in your own file alone: leave out --local", s.path)
		}
		s.file, s.layer = project, config.LayerProject
		return nil
	}
	_, err := s.app.RequireHome()
	s.file, s.layer = user, config.LayerUser
	return err
}

// try loads the configuration as it would be. Only what the change itself breaks
// is in its way.
func (s *setter) try(change config.Change) (*config.Config, error) {
	in := input(s.app)
	was, before := load(in)
	in.Texts = map[string][]byte{change.Path: change.After}
	after, err := load(in)
	known := map[string]bool{}
	for _, e := range config.Errors(before) {
		known[e.Error()] = true
	}
	for _, e := range config.Errors(err) {
		if !known[e.Error()] {
			return nil, cmdutil.WithHint(e, "nothing was changed")
		}
	}
	if unknown := noModel(after); unknown != "" && s.path == defaultModel && noModel(was) == "" {
		return nil, cmdutil.WithHint(cmdutil.Exit(cmdutil.CodeConfig, errors.New(unknown)),
			"nothing was changed; reasonix models lists what there is, reasonix setup adds a provider")
	}
	return after, nil
}

const defaultModel = "default_model"

// noModel says why the default model of c cannot be used, "" when it can.
func noModel(c *config.Config) string {
	for _, w := range c.Warnings {
		if w.Code == config.WarnUnknownModel && slices.Contains(w.Keys, defaultModel) {
			return w.Text
		}
	}
	return ""
}

// reportSame says why there was nothing to change.
func (s *setter) reportSame() error {
	said := "%s has that value in %s already: nothing was changed\n"
	if s.value == nil {
		said = "%s is not set in %s: nothing was changed\n"
	}
	_, err := fmt.Fprintf(s.app.Out, said, s.path, slash(s.file))
	return err
}

func (s *setter) report(change config.Change, after *config.Config) error {
	what := "removed " + s.path + " from "
	if s.value != nil {
		what = "set " + s.path + " in "
	}
	backup := ""
	if change.Backup != "" {
		backup = " (the old file is " + slash(change.Backup) + ")"
	}
	if _, err := fmt.Fprintf(s.app.Out, "%s%s%s\n", what, slash(change.Path), backup); err != nil {
		return err
	}
	if o := after.Origin(s.path); s.value != nil && stronger(o.Layer, s.layer) && !s.key.Accumulate {
		fmt.Fprintf(s.app.Err, "warning: it does not count here: %s sets %s to %s\n", slash(o.String()), s.path, text(after.Value(s.path)))
	}
	if s.local && s.value != nil && s.isOff(after) {
		fmt.Fprintf(s.app.Err, "warning: it is off in a project's file until you grant it with: reasonix permissions trust; without --local it is set in your own\n")
	}
	for _, w := range after.Warnings {
		if w.Code == config.WarnWidens {
			continue // said above, of this key alone
		}
		if slices.Contains(w.Keys, s.path) || w.Code == config.WarnIncomplete || w.Code == config.WarnUnknownModel {
			fmt.Fprintf(s.app.Err, "warning: %s\n", slash(w.String()))
		}
	}
	return nil
}

// isOff reports whether something that the key says in a project's file does not
// count.
func (s *setter) isOff(c *config.Config) bool {
	return slices.ContainsFunc(c.Ungranted, func(p config.Part) bool {
		return p.Key == s.path || strings.HasPrefix(s.path, p.Key+".") || strings.HasPrefix(p.Key, s.path+".")
	})
}

// stronger reports whether layer a hides layer b.
func stronger(a, b config.Layer) bool {
	order := []config.Layer{config.LayerFlag, config.LayerEnv, config.LayerProject, config.LayerUser, config.LayerDefault}
	return slices.Index(order, a) < slices.Index(order, b)
}
