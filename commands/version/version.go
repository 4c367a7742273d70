// Package version is `reasonix version`: which build this is, for a person or a
// bug report. It reads nothing but what the linker and the Go tool stamped into
// the binary, so it works with any configuration, also a broken one.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

// Info describes a build. Commit and Built are empty when the Go tool was not
// told to stamp them.
type Info struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Built   string `json:"built,omitempty"` // the commit's time, RFC 3339
	Target  string `json:"target"`
	Go      string `json:"go"`
}

// New returns the command.
func New(app *cmdutil.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and how this binary was built",
		Args:    cobra.NoArgs,
		Example: "  reasonix version\n  reasonix version --output-format json",
	}
	format := cmdutil.OutputFormat(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		info := Describe(app.Version)
		if *format == cmdutil.JSON {
			return cmdutil.PrintJSON(app.Out, info)
		}
		_, err := fmt.Fprint(app.Out, info.text())
		return err
	}
	return cmd
}

// Describe returns what is known of the running binary.
func Describe(version string) Info {
	info := Info{Version: version, Target: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.time":
			info.Built = s.Value
		}
	}
	return info
}

func (i Info) text() string {
	s := "reasonix " + i.Version + "\n"
	if i.Commit != "" {
		s += "commit  " + i.Commit + "\n"
	}
	if i.Built != "" {
		s += "built   " + i.Built + "\n"
	}
	return s + "target  " + i.Target + "\ngo      " + i.Go + "\n"
}
