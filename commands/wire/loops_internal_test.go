package wire

import (
	"testing"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/core/tool/shell"
	"reasonix/core/workspace"
	"reasonix/sandbox"
)

// warmed counts how often it was to be made ready.
type warmed struct {
	sandbox.Runner
	times int
}

func (w *warmed) Warm(sandbox.Cmd) error {
	w.times++
	return nil
}

func TestTheSandboxIsStartedWhenTheModelBeginsACommand(t *testing.T) {
	files, err := workspace.Open(workspace.Roots{Dir: t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	run := &warmed{Runner: sandbox.NewOff()}
	defer run.Close()
	env := tool.NewEnv(tool.Env{Files: files, Run: run})
	told := 0
	emit := foreseeing(func(event.Payload) error { told++; return nil }, func() { shell.Foresee(env) })
	for _, name := range []string{"read_file", "bash", "bash"} {
		if err := emit(event.CallDelta{Message: "m", Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if run.times != 1 || told != 3 {
		t.Errorf("started %d times, told %d events", run.times, told)
	}
}
