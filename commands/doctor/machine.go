package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/doctor"
)

func (x *examination) version(context.Context) doctor.Finding {
	return doctor.Finding{Status: doctor.OK, Detail: fmt.Sprintf("reasonix %s, %s/%s, %s", x.app.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())}
}

func (x *examination) shell(context.Context) doctor.Finding {
	text, err := x.world.Shell(x.cfg)
	if err != nil {
		return doctor.Finding{Status: doctor.Fail, Detail: slash(err.Error()), Fix: "install bash, or set tools.shell.prefer or tools.shell.path"}
	}
	return doctor.Finding{Status: doctor.OK, Detail: text}
}

// sessions counts what is stored and reads it for damage.
func (x *examination) sessions(ctx context.Context) doctor.Finding {
	if x.app.Home == "" {
		return doctor.Finding{Status: doctor.Warn, Detail: "none: no home directory is known"}
	}
	s, err := x.world.Stored(ctx)
	f := doctor.Finding{
		Status: doctor.OK,
		Detail: fmt.Sprintf("%d in %s, %s in %s", s.Sessions, cmdutil.Count(s.Workspaces, "workspace"), size(uint64(s.Bytes)), slash(s.Dir)),
	}
	if len(s.Damaged) > 0 {
		f.Status = doctor.Warn
		f.Detail += fmt.Sprintf("\n%d damaged:\n%s", len(s.Damaged), strings.Join(s.Damaged, "\n"))
		f.Fix = "nothing is needed: a damaged record is skipped when the session is resumed"
	}
	if err != nil {
		f.Status = doctor.Warn
		f.Detail += "\nnot all were counted: " + slash(err.Error())
		f.Fix = "look at the permissions of that directory"
	}
	return f
}

// home looks at who can read the user's directory and keys.
func (x *examination) home(context.Context) doctor.Finding {
	if x.app.Home == "" {
		return doctor.Finding{Status: doctor.Fail, Detail: "no home directory is known", Fix: "set REASONIX_HOME to a directory of your own"}
	}
	info, err := os.Stat(x.app.Home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doctor.Finding{Status: doctor.OK, Detail: slash(x.app.Home) + " is not there yet; the first session makes it"}
	case err != nil:
		return doctor.Finding{Status: doctor.Fail, Detail: slash(err.Error()), Fix: "make it a directory of your own"}
	case !info.IsDir():
		return doctor.Finding{Status: doctor.Fail, Detail: slash(x.app.Home) + " is not a directory", Fix: "move it away, or set REASONIX_HOME"}
	}
	return permissions(x.app.Home, info)
}

// permissions are checked where a mode says who may read.
func permissions(home string, info fs.FileInfo) doctor.Finding {
	f := doctor.Finding{Status: doctor.OK, Detail: slash(home)}
	if runtime.GOOS == "windows" {
		return f
	}
	f.Detail += fmt.Sprintf(" (mode %04o)", info.Mode().Perm())
	var fixes []string
	if info.Mode().Perm()&0o077 != 0 {
		f.Detail += " can be read by others"
		fixes = append(fixes, "chmod 700 "+slash(home))
	}
	env := filepath.Join(home, config.EnvFileName)
	if keys, err := os.Stat(env); err == nil && keys.Mode().Perm()&0o077 != 0 {
		f.Detail += fmt.Sprintf("\n%s (mode %04o) holds keys and can be read by others", slash(env), keys.Mode().Perm())
		fixes = append(fixes, "chmod 600 "+slash(env))
	}
	if len(fixes) > 0 {
		f.Status, f.Fix = doctor.Warn, strings.Join(fixes, "\n")
	}
	return f
}

// Free space below these is worth a word: a session writes little, a build more.
const (
	fewBytes = 1 << 30
	noBytes  = 50 << 20
)

func (x *examination) disk(context.Context) doctor.Finding {
	dir := existing(x.app.Home)
	free, err := freeBytes(dir)
	if err != nil {
		return doctor.Finding{Status: doctor.Warn, Detail: "free space is not known: " + slash(err.Error())}
	}
	f := doctor.Finding{Status: doctor.OK, Detail: fmt.Sprintf("%s free at %s", size(free), slash(dir))}
	switch {
	case free < noBytes:
		f.Status, f.Fix = doctor.Fail, "free some space: sessions cannot be written to a full disk"
	case free < fewBytes:
		f.Status, f.Fix = doctor.Warn, "free some space"
	}
	return f
}

// existing is dir or the nearest directory above it that exists.
func existing(dir string) string {
	for dir != "" {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return string(filepath.Separator)
}

// git looks for the program without running it.
func (x *examination) git(context.Context) doctor.Finding {
	for _, dir := range filepath.SplitList(x.app.Getenv("PATH")) {
		for _, name := range []string{"git", "git.exe"} {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && executable(info) {
				return doctor.Finding{Status: doctor.OK, Detail: slash(path)}
			}
		}
	}
	return doctor.Finding{Status: doctor.Warn, Detail: "not found in PATH", Fix: "install git: the model expects it"}
}

func executable(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}

// size is a number of bytes for people.
func size(n uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	v := float64(n) / (1 << 10)
	i := 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}
