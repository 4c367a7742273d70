package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"reasonix/core/doctor"
	"reasonix/sandbox"
)

// sandbox says what confines commands, and tries it: a command that attempts what
// it may not is run in it.
func (x *examination) sandbox(ctx context.Context) doctor.Finding {
	const container = "for work you do not trust, run reasonix in a container or a virtual machine"
	switch {
	case runtime.GOOS == "windows":
		f := doctor.Finding{Status: doctor.Warn, Detail: "off: there is none for Windows; commands run with your rights, file tools stay in the workspace", Fix: container}
		if x.cfg.Origin("sandbox.bash").Layer != "" && x.cfg.Sandbox.Bash == "enforce" {
			f.Detail += `; sandbox.bash = "enforce" has no effect here`
		}
		return f
	case x.cfg.Sandbox.Bash != "enforce":
		return doctor.Finding{
			Status: doctor.Warn, Detail: `off, as sandbox.bash = "off" says: commands run with your rights; file tools stay in the workspace`,
			Fix: `set it to "enforce", or ` + container,
		}
	}
	options := x.world.Confinement(x.cfg)
	var lines, fixes []string
	for _, a := range sandbox.Probe(options) {
		if a.Works() {
			return x.tried(ctx, options, a, lines, fixes)
		}
		lines = append(lines, a.Way+": "+a.Why)
		if a.Fix != "" {
			fixes = append(fixes, a.Fix)
		}
	}
	return doctor.Finding{
		Status: doctor.Fail, Detail: "none can be had, so commands are refused\n" + strings.Join(lines, "\n"),
		Fix: strings.Join(append(fixes, `or set sandbox.bash = "off": commands then run with your rights`), "\n"),
	}
}

// tried is the finding about the way that works, with those before it that do not.
func (x *examination) tried(ctx context.Context, options sandbox.Options, a sandbox.Attempt, others, fixes []string) doctor.Finding {
	holds := make([]string, len(a.Holds))
	for i, g := range a.Holds {
		holds[i] = string(g)
	}
	f := doctor.Finding{
		Status: doctor.OK,
		Detail: strings.Join(append([]string{fmt.Sprintf("%s holds commands: %s; network %s", a.Way, strings.Join(holds, ", "), onOff(x.cfg.Sandbox.Network))}, others...), "\n"),
		Fix:    strings.Join(fixes, "\n"),
	}
	options.Ways = []string{a.Way}
	if err := escape(ctx, options); err != nil {
		f.Status, f.Fix = doctor.Fail, `do not rely on it; run reasonix in a container, and report this with the output of reasonix doctor --json`
		f.Detail += "\n" + err.Error()
		return f
	}
	f.Detail += "\ntried: a command could write where it may, not beside it, and could not read what is hidden"
	return f
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// escape runs a command that attempts to write beside its directory and to read a
// hidden file. It returns an error when one of them worked, or when what is
// allowed did not.
func escape(ctx context.Context, options sandbox.Options) (err error) {
	root, err := os.MkdirTemp("", "reasonix-doctor-")
	if err != nil {
		return fmt.Errorf("it could not be tried: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return fmt.Errorf("it could not be tried: %w", err)
	}
	inside, outside, hidden := filepath.Join(root, "inside"), filepath.Join(root, "outside"), filepath.Join(root, "hidden")
	err = errors.Join(os.Mkdir(inside, 0o700), os.Mkdir(outside, 0o700), os.WriteFile(hidden, []byte("canary"), 0o600))
	if err != nil {
		return fmt.Errorf("it could not be tried: %w", err)
	}
	runner := sandbox.New(options)
	defer func() { err = errors.Join(err, runner.Close()) }()
	var out strings.Builder
	_, err = runner.Run(ctx, sandbox.Cmd{
		Argv: []string{"/bin/sh", "-c", `echo x > inside/file; echo x > outside/file; cat hidden`},
		Dir:  root, Env: []string{"PATH=/usr/bin:/bin"}, Out: &out,
		Writable: []string{inside}, Hidden: []string{hidden},
	})
	if err != nil {
		return fmt.Errorf("it could not be tried: %w", err)
	}
	switch {
	case !there(filepath.Join(inside, "file")):
		return errors.New("a command in it could not write its own directory")
	case there(filepath.Join(outside, "file")):
		return errors.New("IT DOES NOT HOLD: a command in it wrote outside its directory")
	case strings.Contains(out.String(), "canary"):
		return errors.New("IT DOES NOT HOLD: a command in it read a hidden file")
	}
	return nil
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
