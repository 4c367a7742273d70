package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	runner := sandbox.New(options)
	err := errors.Join(sandbox.SelfTest(ctx, runner, os.TempDir(), []string{"PATH=/usr/bin:/bin"}), runner.Close())
	if err != nil {
		f.Status, f.Fix = doctor.Fail, "do not rely on it; run reasonix in a container, and report this with the output of reasonix doctor --json"
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
