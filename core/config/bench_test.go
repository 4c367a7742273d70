package config_test

import (
	"testing"

	"reasonix/core/config"
)

// BenchmarkLoad is a typical pair of files and a .env: under 1 ms is the target.
func BenchmarkLoad(b *testing.B) {
	w := world{b, config.Input{Home: b.TempDir(), Workspace: b.TempDir(), Environ: []string{"HOME=/home/me", "LANG=en_US.UTF-8", "PATH=/bin"}}}
	w.write(w.userFile(), "default_model = \"mine/m1\"\nlanguage = \"en\"\n[agent]\ntemperature = 0.0\n"+mine+several+"\n[permissions]\nmode = \"ask\"\ndeny = [\"Bash(rm -rf*)\"]\n")
	w.write(w.projectFile(), "[permissions]\ndeny = [\"Bash(go test:*)\"]\n[tools]\nbash_timeout_seconds = 60\n")
	w.write(w.envFile(), "MINE_KEY=abc\n")
	for b.Loop() {
		if _, err := config.Load(w.in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoadExample is the file setup writes: every key there is.
func BenchmarkLoadExample(b *testing.B) {
	w := world{b, config.Input{Home: b.TempDir(), Workspace: b.TempDir(), Environ: []string{"HOME=/home/me"}}}
	w.write(w.userFile(), string(config.Example()))
	for b.Loop() {
		if _, err := config.Load(w.in); err != nil {
			b.Fatal(err)
		}
	}
}
