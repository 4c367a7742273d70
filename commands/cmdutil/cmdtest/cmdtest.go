// Package cmdtest runs one command of the tree in a test, in a world of its own. Tests
// of the packages below commands call it; what a command prints comes back with the
// test's directories shortened, so that it can be compared.
package cmdtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
)

// Run runs the command that create makes for app, with args behind its name. Standard
// input is empty unless app has one. The error is not among what was printed.
func Run(t testing.TB, create func(*cmdutil.App) *cobra.Command, app *cmdutil.App, args ...string) (out, errs string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	app.Out, app.Err = &o, &e
	if app.In == nil {
		app.In = strings.NewReader("")
	}
	cmd := create(app)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err = cmd.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// Told is an error as the program tells it, with its hint.
func Told(err error) string {
	if err == nil {
		return ""
	}
	return "error: " + err.Error() + "\nhint: " + cmdutil.HintOf(err) + "\n"
}

// Short is text with directories replaced: names are pairs of a directory and what to
// show for it. An empty directory is none.
func Short(text string, names ...string) string {
	var pairs []string
	for i := 0; i+1 < len(names); i += 2 {
		if dir := names[i]; dir != "" {
			pairs = append(pairs, filepath.ToSlash(dir), names[i+1], dir, names[i+1])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Write makes a file and the directories it is in; a name that ends in a slash is a
// directory.
func Write(t testing.TB, path, text string) {
	t.Helper()
	dir := filepath.Dir(path)
	if strings.HasSuffix(path, "/") {
		dir = path
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if dir == path {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Read is the text of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
