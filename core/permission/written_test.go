package permission_test

import (
	"slices"
	"strings"
	"testing"

	"reasonix/core/permission"
)

// What a command writes is judged as strictly as a redirection to it, by whatever
// option or variable it says so.
func TestWrittenTargets(t *testing.T) {
	const hook, envrc = "fresh /work/.git/hooks", "fresh /work/.envrc"
	for command, want := range map[string]string{
		"F=.envrc; echo x > $F": envrc, "F=.envrc; cp e $F": envrc, `F=.envrc; tee "$F"`: envrc, "D=.git; F=$D/hooks; cp e $F/x": hook, "F=.env; cp e ${F}rc": envrc, "export F=.envrc; echo x >> $F": envrc,
		"for f in a .envrc; do echo x > $f; done": envrc, "F=a; F=.envrc; echo x > $F": envrc, "F=~/.bashrc; echo x > $F": "fresh /home/me/.bashrc", "F=/etc/x; echo x > $F": "deny", "F=vault/x; echo x > $F": "deny", "F=a; echo x > $F": "allow",
		"F=/etc/x; cp a $F": "allow", "F=.envrc bash -c 'echo x > $F'": envrc, "bash -c 'F=.envrc; cp e $F'": envrc, "read F; echo x > $F": "allow", "echo x > $F": "allow", "cp e $F": "allow",
		"cd $X && cp e .envrc": "fresh", "cd $X && echo x > .envrc": "fresh", "cd $X && touch hooks/pre-commit": "fresh", "cd $X && cp e a": "allow", "D=.git/hooks; cd $D && cp e pre-commit": hook, "D=sub; cd $D && cp e a": "allow",
		"echo x > $X/.envrc": "fresh", `echo x > "$X/.git/hooks/a"`: "fresh", "echo x > .git/$X": "fresh", "cp e .git/hooks/$X": "fresh", "cp e .env*": "fresh", "echo x > .vscode/t*.json": "fresh", "cp e $X/.bashrc": "fresh /home/me/.bashrc", "rm *.o": "allow",
		"cp e $X.json": "allow", "echo x > out/$X": "allow", "cp .envrc $X": "fresh", "rm -rf $X": "allow",
		"curl -o .git/hooks/x u": hook, "curl -so.git/hooks/x u": hook, "curl --output=.envrc u": envrc, "curl -O u": "allow", "cd .git/hooks && curl -O u": hook, "cd .git/hooks && curl -sSLO u": hook, "curl -D .envrc u": envrc, "curl -o - u": "allow", "curl -o /dev/null u": "allow", "curl -o $X u": "allow", "O=.envrc; curl -o $O u": envrc,
		"curl --output-dir .git/hooks -O u": hook, "wget -O .envrc u": envrc, "wget -P .git/hooks u": hook, "cd .git/hooks && wget u": hook, "wget u": "allow", "wget -O- u": "allow",
		"tar -C .git/hooks -xf a": hook, "tar xf a -C .git": "fresh /work/.git/config /work/.git/hooks", "tar xf a": "allow", "cd .git/hooks && tar xzf ../../a": hook, "tar --directory=.git/hooks -xf a": hook, "tar czf .envrc a": envrc, "tar -c -f .envrc a": envrc, "tar tf a": "allow", "tar -C sub -xf a": "allow", "tar -C /etc -xf a": "allow",
		"unzip a -d .git/hooks": hook, "unzip a": "allow", "cd .git/hooks && unzip ../a": hook, "unzip -l a": "allow",
		"git apply --directory=.git/hooks p": hook, "git diff --output=.git/hooks/pre-commit": hook, "git log -p --output .envrc": envrc, "git archive -o .envrc HEAD": envrc, "git mv e .envrc": envrc, "git rm .envrc": envrc, "git restore .envrc": envrc,
		"git format-patch -o .git/hooks HEAD": hook, "git -C .git/hooks diff --output=x": hook, "patch .envrc p": envrc, "patch -o .envrc a p": envrc, "patch -d .git/hooks < p": hook, "patch -p1 < p": "allow",
		"patch -p1 <<'E'\n--- a/x\n+++ b/.envrc\n@@ -0,0 +1 @@\n+x\nE": "fresh", "git apply <<'E'\n--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1 @@\n+x\nE": "fresh", "git apply <<'E'\nrename to .envrc\nE": envrc, "git apply <<'E'\n+++ b/x\nE": "allow",
		"echo x > sub/.git": "fresh /work/sub/.git/config /work/sub/.git/hooks", "ln -s /evil sub/.git": "fresh /work/sub/.git/config /work/sub/.git/hooks", "cp e .git": "fresh /work/.git/config /work/.git/hooks", "mkdir .vscode": "allow", "ln -s e .vscode": "fresh /work/.vscode",
		"ln -s .git/hooks h": hook, "ln -s x/.envrc": "fresh", "ln -s a b": "allow", "rsync e .envrc": envrc, "rsync -t e .envrc": envrc, "rsync -a x/ .git/hooks/": hook, "rsync a host:/etc/x": "allow", "scp a host:x": "allow", "scp host:x .envrc": envrc,
		"cp -t .git/hooks a": hook, "cp -rt .git/hooks a": hook, "cp a -t .git/hooks b": hook, "cp --target-directory .git/hooks a": hook, "cp -t.git/hooks a": hook, "cp .envrc a": "allow",
		"cp a /etc/x": "allow", "cp /etc/x a": "allow", "touch /etc/x": "allow", "tee ~/x": "allow", "mkdir -p /opt/x": "allow", "rm -rf /opt/x": "allow", "mv a /opt": "allow", "dd of=/etc/x": "allow", "dd if=a of=/dev/null": "allow", "sed -i s/a/b/ /etc/x": "allow", "chmod +x /etc/x": "allow", "touch /extra/x": "allow", "cp a ../x": "allow", "tee /dev/stderr": "allow", "cp a link/x": "allow",
		"go test -c -o .git/hooks/x": hook, "go build -o bin/x": "allow", "go build -o=.envrc": envrc, "go test -coverprofile .envrc": envrc, "gcc -o.envrc a.c": envrc, "sort -o .envrc a": envrc, "sort -uo.envrc a": envrc, "find . -fprint .envrc": envrc, "find . -fls .envrc": envrc, "uniq a .envrc": envrc, "split a .git/hooks/x": hook, "zip .envrc a": envrc,
		"vim .envrc": envrc, "gzip .envrc": envrc, "openssl rand -out .envrc 1": envrc, "rm -rf .git*": "fresh",
		"sudo cp e .envrc": envrc, "busybox cp e .envrc": envrc, `env -S "cp e .envrc"`: envrc, "doas -u me tee .envrc": envrc, "sudo cp e a": "allow", "npx x a": "allow",
		"git clone u .git/hooks": "fresh", "git clone u sub": "allow", "git clone u": "allow", "git init sub": "allow", "git init .git/hooks": "fresh", "git --work-tree=.git/hooks checkout -- .": hook, "git --work-tree .git/hooks checkout HEAD": hook,
		"git subtree add --prefix .git/hooks u m": hook, "git bundle create .envrc HEAD": envrc, "git bundle verify .envrc": "allow", "python -m venv .git/hooks": hook, "python3 -m venv .venv": "allow", "python3 x.py .envrc": envrc, "virtualenv .git/hooks": hook,
		"cargo new .git/hooks/x": hook, "cargo init sub": "allow", "cargo run .envrc": envrc, "shuf -o .envrc a": envrc, "iconv --output=.envrc a": envrc, "gawk -i inplace '{print}' .envrc": envrc, "awk '{print}' .envrc": "allow",
		"gzip -d .envrc.gz": envrc, "unxz .envrc.xz": envrc, "gunzip a.gz": "allow", "sqlite3 .envrc": envrc, "mktemp .envrc": envrc, "mktemp -d": "allow",
		"echo x > .git/rebase-merge/git-rebase-todo": "fresh /work/.git/rebase-merge", "tee -a .git/rebase-apply/x": "fresh /work/.git/rebase-apply", "echo '* filter=x' >> .git/info/attributes": "fresh /work/.git/info/attributes", "echo build >> .git/info/exclude": "allow", "echo /x > .git/objects/info/alternates": "fresh /work/.git/objects/info/alternates",
		"echo {} > .vscode/settings.json": "fresh /work/.vscode", "cp l.json sub/.vscode/launch.json": "fresh /work/sub/.vscode", "mkdir -p .vscode .idea": "allow", "echo {} > .devcontainer/devcontainer.json": "fresh /work/.devcontainer", "echo {} > .devcontainer.json": "fresh /work/.devcontainer.json", "cp e .idea/runConfigurations/a.xml": "fresh /work/.idea", "cat .vscode/settings.json": "allow", "cp .vscode/settings.json a": "allow",
		"f=.env; f+=rc; cp e $f": envrc, "f=.git; f+=/hooks; f+=/x; cp e $f": "fresh", "f=a; f+=b; cp e $f": "allow",
	} {
		p := places(t, "mode allow")
		p.Resolve = links
		got := p.Explain("bash", false, bash(command))
		slices.Sort(got.Release)
		if outcome(got) != want && (want != "fresh" || !got.Fresh) {
			t.Errorf("%q: %s, want %s (%s)", command, outcome(got), want, got.Why)
		}
	}
}

// A target that nobody knows is asked about, and the question says so.
func TestAnUnknownTargetIsSaid(t *testing.T) {
	for _, command := range []string{"echo x > $F", "cp e $F", "cd $X && cp e a", "curl -o $F u"} {
		p := places(t, "mode ask")
		p.ReadOnlyCommands = true
		got := p.Explain("bash", false, bash(command))
		if why := reasons(got); got.Decision != ask || got.Fresh || !strings.Contains(why, "run time") {
			t.Errorf("%q: %s, %q", command, outcome(got), why)
		}
	}
}

func reasons(r permission.Reason) string {
	text := r.Why
	for _, p := range r.Parts {
		text += "\n" + p.Why
	}
	return text
}

// A program of which nobody knows that it only reads what it names is reviewed where
// that is protected, unless a rule says just this command.
func TestAnUnknownProgramThatNamesAProtectedPlaceIsReviewed(t *testing.T) {
	for command, want := range map[string]string{
		"mytool .envrc": "fresh", "mytool --out=.envrc": "fresh", "mytool -o.envrc": "fresh", "mytool .git/hooks/pre-commit": "fresh", "./gen sub/.vscode/tasks.json": "fresh", "pr .envrc": "fresh", "python3 -c x .envrc": "fresh", "node gen.js .claude/settings.json": "fresh", "sudo cat .envrc": "fresh",
		"mytool .git/$X": "fresh", "F=.envrc; mytool $F": "fresh", "mytool .env*": "fresh", "mytool $PWD/.envrc": "fresh", "mytool ~/.bashrc": "fresh", "cd .git && mytool hooks/x": "fresh", "xargs touch .envrc": "fresh", "xargs mytool .envrc": "fresh", "timeout 5 mytool .envrc": "fresh", "busybox mytool .envrc": "fresh", "env -S 'mytool .envrc'": "fresh", "make .envrc": "fresh", "go run ./gen .envrc": "fresh",
		"git submodule add u .claude/skills/x": "fresh", "git read-tree --index-output=.envrc HEAD": "fresh", "git worktree add .git/hooks/x": "fresh", "cp -l e .envrc": "fresh", "mytool '{.envrc,a}'": "allow", "mytool {.envrc,a}": "fresh", "npm run lint -- .vscode/tasks.json": "fresh",
		"mytool a": "allow", "mytool $X": "allow", "mytool *.json": "allow", "mytool .": "allow", "make build": "allow", "npm test": "allow", "git add .vscode/tasks.json": "allow", "git diff .envrc": "allow", "git commit -m x .claude/settings.json": "allow", "shellcheck .envrc": "allow", "source .envrc": "allow", "bash .git/hooks/pre-commit": "allow", "python3 .claude/skills/x/run.py a": "allow", "jq . .vscode/tasks.json": "allow", "timeout 5 cat .envrc": "allow", "grep x .git/config": "allow", "less .git/config": "allow", "code .vscode": "allow", "mytool .vscode": "allow", "find . -name .envrc": "allow", "echo .envrc": "allow", "test -f .envrc && . ./.envrc": "allow",
	} {
		got := places(t, "mode allow").Explain("bash", false, bash(command))
		if want == "fresh" && !got.Fresh || want == "allow" && outcome(got) != want {
			t.Errorf("%q: %s, want %s (%s)", command, outcome(got), want, got.Why)
		}
	}
	if got := places(t, "allow Bash(mytool .envrc)").Explain("bash", false, bash("mytool .envrc")); got.Decision != allow {
		t.Errorf("a rule that says the command: %s", outcome(got))
	}
	if got := places(t, "allow Bash(mytool:*)").Explain("bash", false, bash("mytool .envrc")); !got.Fresh {
		t.Errorf("a prefix: %s", outcome(got))
	}
}
