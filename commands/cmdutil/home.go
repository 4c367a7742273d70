package cmdutil

import (
	"path/filepath"
	"runtime"
)

// PathHome returns the directory of the user's configuration, keys and sessions:
// $REASONIX_HOME, else ~/.reasonix, or %AppData%\reasonix on Windows. It touches
// no file. A relative $REASONIX_HOME is taken from the working directory; the
// result is "" when the environment names no home at all.
func PathHome(environ []string) string {
	if home := Getenv(environ, "REASONIX_HOME"); home != "" {
		return absolute(home)
	}
	return pathHome(runtime.GOOS, environ)
}

func pathHome(goos string, environ []string) string {
	if goos == "windows" {
		if dir := Getenv(environ, "AppData"); dir != "" {
			return filepath.Join(dir, "reasonix")
		}
		if dir := Getenv(environ, "USERPROFILE"); dir != "" {
			return filepath.Join(dir, "AppData", "Roaming", "reasonix")
		}
		return ""
	}
	if dir := Getenv(environ, "HOME"); dir != "" {
		return filepath.Join(dir, ".reasonix")
	}
	return ""
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
