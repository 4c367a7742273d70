//go:build linux || darwin

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRestorePutsBackWhatWasChanged(t *testing.T) {
	for script, want := range map[string]string{
		":":                                    "",
		"touch .git/config main.go":            "",
		"echo x >>main.go; rm -f .git/HEAD":    "",
		"echo x >>.git/config":                 ".git/config",
		"echo '[core]' >.git/config":           ".git/config",
		"cp .git/config c; cat c >.git/config": "",
		"chmod 777 .git/config":                ".git/config",
		"rm .git/config":                       ".git/config",
		"mv .git/config .git/c":                ".git/config",
		"rm .git/config; mkdir -p .git/config/a/b; touch .git/config/a/b/c": ".git/config",
		"rm .git/config; mkfifo .git/config":                                ".git/config",
		"ln -sf ../../outside/file .git/config":                             ".git/config",
		"ln .git/config c; echo x >c":                                       ".git/config",
		"ln -f ../outside/file .git/config":                                 ".git/config",
		"echo x >.git/hooks/pre-commit":                                     ".git/hooks/pre-commit",
		"echo x >.git/hooks/mine; rm .git/hooks/*.sample":                   ".git/hooks/mine .git/hooks/pre-commit.sample",
		"chmod -x .git/hooks/mine":                                          ".git/hooks/mine",
		"chmod 700 .git/hooks":                                              ".git/hooks",
		"rm -r .git/hooks; ln -s ../../outside/hooks .git/hooks":            ".git/hooks .git/hooks/mine .git/hooks/pre-commit.sample",
		"rm -r .git/hooks":                                                  ".git/hooks .git/hooks/mine .git/hooks/pre-commit.sample",
		"mv .git/hooks .git/h; mkdir .git/hooks; echo x >.git/hooks/mine":   ".git/hooks/mine .git/hooks/pre-commit.sample",
		"mv .git/hooks .git/h":                                              ".git/hooks",
		"echo ../../outside >.git/commondir":                                ".git/commondir",
		"echo '[core]' >.git/config.worktree":                               ".git/config.worktree",
		"mv .git g":                                                         ".git",
		"mv .git g; echo 'gitdir: g' >.git":                                 ".git",
		"mv .git g; ln -s g .git; echo x >g/config":                         ".git .git/config",
		"mv .git g; ln -s ../outside .git":                                  ".git",
		"mv .git ../work/deep/g":                                            ".git .git/config .git/hooks .git/hooks/mine .git/hooks/pre-commit.sample",
		"mv .git g; mkdir .git; echo x >.git/config; cp -r g/hooks .git":    ".git/config",
		"rm -r .git": ".git .git/config .git/hooks .git/hooks/mine .git/hooks/pre-commit.sample",
		"rm -r .reasonix; ln -s ../outside .reasonix":                                  ".reasonix .reasonix/commands .reasonix/commands/a.md .reasonix/empty .reasonix/empty/.keep",
		"echo x >.reasonix/commands/b.md; mkdir -p .reasonix/x/y":                      ".reasonix/commands/b.md .reasonix/x",
		"echo b >.reasonix/commands/a.md":                                              ".reasonix/commands/a.md",
		"echo x >.mcp.json; echo x >.envrc; mkdir .vscode; echo x >.vscode/tasks.json": ".envrc .mcp.json .vscode/tasks.json",
		"mkdir .vscode; echo x >.vscode/settings.json":                                 "",
		"ln -s ../outside .vscode":                                                     ".vscode",
		"echo x >.vscode":                                                              "",
		"mkdir -p .mcp.json/a; chmod 0 .mcp.json/a":                                    ".mcp.json",
		"echo x >.git/config; chmod 500 .git":                                          ".git/config",
		"rm -r deep; ln -s ../outside deep":                                            "deep deep/er deep/er/.envrc",
		"mv deep d; mkdir d2; mv d d2; mkdir -p deep/er":                               "deep/er/.envrc",
	} {
		t.Run(script, func(t *testing.T) {
			g := newGround(t, t.TempDir())
			defer func() { _ = exec.CommandContext(t.Context(), "chmod", "-R", "u+rwx", g.work).Run() }()
			changed, err := g.around(t, &keeper{}, script)
			if err != nil {
				t.Error(err)
			}
			if got := strings.Join(changed, " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if diff := cmp.Diff(g.before, g.state()); diff != "" {
				t.Errorf("before and after:\n%s", diff)
			}
		})
	}
}

// A repository that a command makes goes on working, unless it brings programs.
func TestRestoreLeavesANewRepository(t *testing.T) {
	for script, want := range map[string]string{
		"git init -q": "",
		"git init -q ../up; cd ../up; git commit -q --allow-empty -m a; cd -; git clone -q ../up c; mv c/.git .": "",
		"git init -q; git config user.name x; git remote add o https://e.org/r":                                  "",
		"git init -q; git config core.fsmonitor ./evil":                                                          ".git/config",
		"git init -q; git config core.hooksPath h":                                                               ".git/config",
		"git init -q; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit; echo x >.git/hooks/a.sample":           ".git/hooks/pre-commit",
		"git init -q; echo ../x >.git/commondir":                                                                 ".git/commondir",
		"git init -q x; ln -s x/.git .git":                                                                       ".git",
		"git init -q --separate-git-dir x":                                                                       ".git",
	} {
		t.Run(script, func(t *testing.T) {
			g := newGround(t, t.TempDir())
			if err := os.RemoveAll(filepath.Join(g.work, ".git")); err != nil {
				t.Fatal(err)
			}
			changed, err := g.around(t, &keeper{}, script)
			if err != nil {
				t.Error(err)
			}
			if got := strings.Join(changed, " "); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if want == "" {
				g.sh(t, "git status")
			}
		})
	}
}

func TestHarmlessConfig(t *testing.T) {
	for text, want := range map[string]bool{
		"": true,
		"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n":                                                                                         true,
		"# a\n[remote \"origin\"]\n\turl = git@host:r.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n": true,
		"[user]\n name = Ann O'Nym\n":                     true,
		"[core]\n\tfsmonitor = x\n":                       false,
		"[core] fsmonitor = x\n":                          false,
		"[core]\n\tbare = false \\\n":                     false,
		"[core]\n\tBARE\n":                                true,
		"[include]\n\tpath = x\n":                         false,
		"[remote \"a\"]\n\turl = ext::sh -c touch% x\n":   false,
		"[remote \"a\"]\n\tuploadpack = x\n":              false,
		"[alias]\n\tst = !x\n":                            false,
		"[core]\nbare = false\n[core]fsmonitor=x\n":       false,
		"[filter \"a\"]\n\tclean = x\n":                   false,
		"bare = false\n":                                  false,
		"[core]\r\n\tbare = false\r\n":                    true,
		"\ufeff[core]\n\tbare = false\n":                  false,
		"[core]\n\tbare = false\x00\n":                    true,
		"[remote \"a]\n[core]\n":                          false,
		"[credential]\n\thelper = x\n":                    false,
		"[core.x]\n\tbare = false\n":                      false,
		"[core \"x\"]\n\tworktree = /\n":                  false,
		"[extensions]\n\tobjectFormat = sha256\n":         true,
		"[extensions]\n\tworktreeConfig = true\n":         false,
		"[core]\n\tbare = false ; [core] fsmonitor = x\n": true, // a comment
	} {
		if got := harmlessConfig(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// A protected path may be a link, or lie behind one: the link is kept, and the file.
func TestRestoreKeepsLinksAndWhatTheyLeadTo(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.sh(t, "mkdir shared; echo a >shared/tasks.json; ln -s shared .vscode; echo b >real; ln -s real .envrc; ln -s nowhere .mcp.json")
	for script, want := range map[string]string{
		"echo x >.vscode/tasks.json":       "shared/tasks.json",
		"ln -sfn ../outside .vscode":       ".vscode",
		"echo x >real":                     "real",
		"rm .envrc; cp real .envrc":        ".envrc",
		"echo x >nowhere":                  "nowhere",
		"ln -sf ../outside/file .mcp.json": ".mcp.json",
	} {
		changed, err := g.around(t, &keeper{}, script)
		if got := strings.Join(changed, " "); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", script, got, err, want)
		}
	}
}

// What linked worktrees have in the place of a repository is kept as it is, though
// paths below it are protected too.
func TestRestoreKeepsTheFileOfALinkedWorktree(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.sh(t, "mv .git ../real; echo 'gitdir: ../real' >.git")
	for script, want := range map[string]string{":": "", "echo 'gitdir: x' >.git": ".git", "rm .git; mkdir .git; echo x >.git/config": ".git"} {
		changed, err := g.around(t, &keeper{}, script)
		if got := strings.Join(changed, " "); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", script, got, err, want)
		}
		if data, _ := os.ReadFile(filepath.Join(g.work, ".git")); string(data) != "gitdir: ../real\n" {
			t.Errorf("%s: .git is %q", script, data)
		}
	}
}

// What cannot be put back is an error, then and at the next command.
func TestRestoreRefusesAfterWhatCannotBePutBack(t *testing.T) {
	g := newGround(t, t.TempDir())
	envrc := filepath.Join(g.work, ".envrc")
	if err := syscall.Mkfifo(envrc, 0o644); err != nil {
		t.Fatal(err)
	}
	k := &keeper{}
	if changed, err := g.around(t, k, "echo x >>main.go"); err != nil || len(changed) > 0 {
		t.Errorf("a pipe that stays: got %q, %v", changed, err)
	}
	if _, err := g.around(t, k, "mv .envrc e; echo x >.envrc"); err == nil || !strings.Contains(err.Error(), "put back "+envrc) {
		t.Errorf("got %v", err)
	}
	if _, err := started(k, g.work, g.protected); err == nil || !strings.Contains(err.Error(), "keep "+envrc) {
		t.Errorf("the next: got %v", err)
	}
	g.sh(t, "mv e .envrc")
	if changed, err := g.around(t, k, ":"); err != nil || len(changed) > 0 {
		t.Errorf("repaired: got %q, %v", changed, err)
	}
}

func TestRestoreRefusesWhatIsTooLarge(t *testing.T) {
	g := newGround(t, t.TempDir())
	if err := os.Truncate(filepath.Join(g.work, "reasonix.toml"), maxBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := started(&keeper{}, g.work, g.protected); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("got %v", err)
	}
}

// A command may make a protected file huge, or an endless pipe: that costs nothing.
func TestRestoreDoesNotReadWhatIsHuge(t *testing.T) {
	g := newGround(t, t.TempDir())
	start := time.Now()
	changed, err := g.around(t, &keeper{}, "truncate -s 900G .git/config 2>/dev/null || dd if=/dev/zero of=.git/config bs=1 count=1 seek=900G 2>/dev/null || echo x >.git/config")
	if err != nil || !slices.Equal(changed, []string{".git/config"}) || time.Since(start) > 10*time.Second {
		t.Errorf("got %q, %v after %v", changed, err, time.Since(start))
	}
}

// An unreadable file is known by its time, and cannot be put back.
func TestRestoreOfAnUnreadableFile(t *testing.T) {
	g := newGround(t, t.TempDir())
	k := &keeper{}
	g.sh(t, "echo x >.envrc; chmod 0 .envrc")
	if changed, err := g.around(t, k, "echo x >>main.go"); err != nil || len(changed) > 0 {
		t.Errorf("got %q, %v", changed, err)
	}
	_, err := g.around(t, k, "rm .envrc; echo y >.envrc")
	if (err == nil) != (os.Geteuid() == 0) { // root reads it
		t.Errorf("got %v", err)
	}
}
