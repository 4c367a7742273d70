// Package cmdutil is what every command shares: the process facts it may see
// (App), the errors that become exit codes, the printers for people and for
// machines, and the nearest-name hint. It reads nothing ambient after App was
// built, starts nothing, and knows no noun. commands.Main builds one App; the
// packages under commands take it in their constructor.
package cmdutil

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/term"
)

// App is the world as one invocation sees it. A command takes everything it
// needs of the process from here, so that a test can hand it another world.
// It is read-only after construction and safe for concurrent use; the streams
// are as safe as what they wrap.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	// StdinTTY, StdoutTTY and StderrTTY say which streams are terminals.
	StdinTTY, StdoutTTY, StderrTTY bool
	// Environ is the environment as os.Environ gives it.
	Environ []string
	// WorkDir is the absolute working directory; empty when it was deleted.
	WorkDir string
	// Home is where the user's configuration and sessions live (PathHome);
	// empty when the environment names no home directory.
	Home string
	// Version is this build's version, never empty.
	Version string
	// Now is the clock.
	Now func() time.Time
}

// System describes the running process. version is what the linker stamped, or
// empty. From here on a reader that closes our stdout early (`| head`) makes
// writes quiet instead of killing the process: see PipeWriter.
func System(version string, in, out, errs *os.File) *App {
	CatchPipe()
	environ := os.Environ()
	app := &App{
		In:        in,
		Out:       NewPipeWriter(out),
		Err:       NewPipeWriter(errs),
		StdinTTY:  term.IsTerminal(int(in.Fd())),
		StdoutTTY: term.IsTerminal(int(out.Fd())),
		StderrTTY: term.IsTerminal(int(errs.Fd())),
		Environ:   environ,
		Home:      PathHome(environ),
		Version:   Version(version),
		Now:       time.Now,
	}
	app.WorkDir, _ = os.Getwd() // a deleted directory is reported by whoever needs one
	return app
}

// Getenv returns the value of an environment variable, or "" when it is unset.
func (a *App) Getenv(name string) string { return Getenv(a.Environ, name) }

// RequireHome returns Home, or an error that says how to name one.
func (a *App) RequireHome() (string, error) {
	if a.Home == "" {
		return "", WithHint(Exit(CodeConfig, fmt.Errorf("no home directory is known")),
			"set REASONIX_HOME to a directory of your own")
	}
	return a.Home, nil
}

// RequireWorkDir returns WorkDir, or an error when the directory is gone.
func (a *App) RequireWorkDir() (string, error) {
	if a.WorkDir == "" {
		return "", WithHint(Usage(fmt.Errorf("the working directory no longer exists")),
			"change to a directory that exists")
	}
	return a.WorkDir, nil
}

// ColorOut reports whether stdout should be coloured.
func (a *App) ColorOut() bool { return a.StdoutTTY && a.colors() }

// ColorErr reports whether stderr should be coloured.
func (a *App) ColorErr() bool { return a.StderrTTY && a.colors() }

// colors follows https://no-color.org; a CI log is not a terminal even when it
// pretends to be one.
func (a *App) colors() bool {
	ci := a.Getenv("CI")
	return a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb" && (ci == "" || ci == "false")
}

// Getenv looks name up in environ; the last setting wins, as it does for a child
// process. Names ignore case on Windows only.
func Getenv(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(environ[i], "=")
		if ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
			return value
		}
	}
	return ""
}
