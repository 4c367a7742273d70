package permission_test

import "testing"

// A command that reads all below a directory is reviewed where a rule denies a file
// in there, and asked about where an ask rule is about one.
func TestWhatReadsATreeReadsWhatIsDeniedInIt(t *testing.T) {
	for _, script := range []string{
		"grep -r x .", "grep -rn x", "grep -r -A 3 x", "grep -re x .", "grep -R x /work", "rg x", "rg -A 3 x", "rg --hidden -g '*' x", "rg x sub/..", "ag x", "git grep x", "git grep -n -e x", "git -C . grep x", "tar c .", "tar czf o.tgz .", "tar -C .. -cf o work", "tar --create --file=o.tar .", "zip -r o.zip .", "cp -r . /tmp/x", "cp -a ../work x", "cp -r -t x .",
		"find . -exec cat {} +", "find -exec cat {} ;", "find . -type f -exec grep x {} +", "rsync -a . host:x", "rsync -a ./ x/", "scp -r . host:x", "diff -r . x", "sudo tar c .", "timeout 5 grep -r x .", "bash -c 'rg x'", "cd sub && rg x ..", "sub=.; cp -r $sub x", "7z a o.7z .", "git diff --no-index . x",
		"curl file://$PWD/secret/key", `curl "file://${PWD}/secret/key"`, "curl file:///work/secret/key",
	} {
		for _, text := range []string{"allow Bash; deny Read(secret/**)", "mode allow; deny Read(./secret/key)", "mode allow; deny Read(/work/secret/*)"} {
			if got := policy(t, text).Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
		if got := policy(t, "allow Bash; ask Read(secret/**)").Decide("bash", false, bash(script)); got != ask {
			t.Errorf("with an ask rule %q: %v", script, got)
		}
	}
	for _, script := range []string{
		"grep -r x src", "grep -rn -A 3 x src docs", "grep x a.go", "rg x src", "rg -t go x src", "git grep x -- src", "git grep -n x src", "tar czf o.tgz src", "tar xf a.tgz", "tar xf a.tgz -C .", "tar tf a.tgz", "zip o.zip a b", "zip -r o.zip src", "cp a.go b.go", "cp -r src x", "cp -r src .", "cp a .", "mv src x", "mv a .", "rsync -a src/ x/", "find . -name '*.go'", "find src -exec cat {} +", "diff a b", "git diff", "git status", "go test ./...", "ls -R", "cd src && rg x",
	} {
		if got := policy(t, "allow Bash; deny Read(secret/**)").Explain("bash", false, bash(script)); got.Decision != allow {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
	for script, want := range map[string]any{"rg x main.go": allow, "rg x src": allow, "rg x": allow, "rg --hidden x": ask, "rg -uu x": ask, "rg -g '*' x": ask, "ack x": ask, "grep -r x src": ask, "cp a.go b.go": allow, "cp -r src x": ask} {
		if got := policy(t, "allow Bash; deny Read(**/.env)").Decide("bash", false, bash(script)); got != want {
			t.Errorf("%q: %v", script, got)
		}
	}
}

// A directory may look like a file; a rule that names what is in it says what it is.
func TestADirectoryWithAnExtensionIsRead(t *testing.T) {
	for _, rule := range []string{"Read(conf.d/key)", "Read(conf.d/**)"} {
		for _, script := range []string{"grep -r x conf.d", "tar c conf.d", "cp -r ./conf.d x"} {
			if got := policy(t, "mode allow; deny "+rule).Explain("bash", false, bash(script)); got.Decision == allow {
				t.Errorf("%s %q: allow", rule, script)
			}
		}
	}
}

// So it is for places: secrets below are reviewed, and hidden ones asked about.
func TestWhatReadsATreeReadsPlacesInIt(t *testing.T) {
	for script, want := range map[string]string{
		"tar c ~": "fresh", "cp -r /home/me x": "fresh", "rsync -a ~/ x": "fresh", "rg x ~": "fresh", "zip -r o.zip /home": "fresh", "grep -r x /": "fresh", "cd ~ && rg x": "fresh", "find ~ -exec cat {} +": "fresh",
		"rg x": "ask", "tar c .": "ask", "cp -r . /tmp/x": "ask", "grep -r x src": "allow", "tar c src": "allow", "cp -r src .": "allow", "cp src ~/x": "allow", "find ~ -name x": "allow", "ls ~": "allow",
	} {
		p := places(t, "mode allow; allow Bash(rg:*)")
		if got := p.Explain("bash", false, bash(script)); outcome(got) != want {
			t.Errorf("%q: %s, want %s (%s)", script, outcome(got), want, got.Why)
		}
	}
}
