package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrUnconfined is returned by SelfTest for a Runner that holds nothing.
var ErrUnconfined = errors.New("commands run unconfined")

// selfTest is run in a directory it may write, beside a file it may not see. What
// it gets away with it leaves in "outside" or says.
const selfTest = `echo inside >inside
echo escaped >../outside
ln -s ../outside link; echo escaped >link
echo escaped >../new
cat ../hidden`

// SelfTest tells whether r does what it claims, by a command that tries to escape.
// It makes and removes a directory in dir, which is absolute, and takes some
// milliseconds. environ is the environment of commands.
func SelfTest(ctx context.Context, r Runner, dir string, environ []string) (err error) {
	ground, err := os.MkdirTemp(dir, "selftest")
	if err != nil {
		return fmt.Errorf("self-test of the sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(ground)) }()
	work := filepath.Join(ground, "work")
	files := map[string]string{"outside": "untouched", "hidden": "secret"}
	err = os.Mkdir(work, 0o700)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(ground, name), []byte(text), 0o600))
	}
	if err != nil {
		return fmt.Errorf("self-test of the sandbox: %w", err)
	}
	var out bytes.Buffer
	_, err = r.Run(ctx, Cmd{
		Argv: []string{"sh", "-c", selfTest}, Dir: work, Env: environ, Out: &out, Err: &out,
		Writable: []string{work}, Hidden: []string{filepath.Join(ground, "hidden")}, Network: true,
	})
	if err != nil {
		return err
	}
	if len(r.Holds()) == 0 {
		return ErrUnconfined
	}
	return judgeSelfTest(r.Way(), ground, out.String())
}

func judgeSelfTest(way, ground, out string) error {
	if _, err := os.Stat(filepath.Join(ground, "work", "inside")); err != nil {
		return fmt.Errorf("self-test of the sandbox: under %s a command cannot write its own directory: %s", way, out)
	}
	text, err := os.ReadFile(filepath.Join(ground, "outside"))
	_, made := os.Stat(filepath.Join(ground, "new"))
	switch {
	case err != nil || string(text) != "untouched" || made == nil:
		return fmt.Errorf("self-test of the sandbox: under %s a command wrote outside of its directory", way)
	case bytes.Contains([]byte(out), []byte("secret")):
		return fmt.Errorf("self-test of the sandbox: under %s a command read a hidden file", way)
	}
	return nil
}
