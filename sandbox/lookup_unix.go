//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// errNoArgv is a Cmd without a program.
var errNoArgv = errors.New("command has no arguments")

// notFoundError names a program that is in no directory of PATH. It is fs.ErrNotExist.
type notFoundError string

func (e notFoundError) Error() string { return "program " + string(e) + " was not found on PATH" }

func (notFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// lookPath finds the program of cmd as a shell with cmd's own environment would,
// not ours.
func lookPath(cmd Cmd) (string, error) {
	if len(cmd.Argv) == 0 {
		return "", errNoArgv
	}
	name := cmd.Argv[0]
	if strings.ContainsRune(name, '/') {
		return name, nil
	}
	for _, dir := range filepath.SplitList(pathOf(cmd.Env)) {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", notFoundError(name)
}
