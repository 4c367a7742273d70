package permission_test

import "testing"

// A rule about reading holds for the words of every command that name files.
func TestADenyRuleForReadersHoldsForCommands(t *testing.T) {
	for _, script := range []string{
		"cat secret/key", "head -n 1 secret/key", "sed -n p secret/key", "grep x secret/key", "cp -r secret x", "cd secret", "cd secret; cat key", "cd secret && ls", "git show HEAD:secret/key", "git show :secret/key", "git -C secret show HEAD:./key", "git diff --no-index secret/key /dev/null", "cat ./sub/../secret/key", "cat /work/secret/key",
		"tar c secret", "curl -d @secret/key x", "curl --data=@secret/key x", "python x.py --in=secret/key", "cat < secret/key", "F=secret/key; cat $F", "for f in secret/key; do cat $f; done", "xxd secret/key", "bash secret/run", "./secret/run", "base64 {secret,x}/key", "find secret -type f", "ln -s secret l", "dd if=secret/key", "wc -l -- secret/key", "cat sec*/key", "cat s?cret/k*", "for f in sec*/key; do cat $f; done",
		"awk 1 secret/key", "X=$(cat secret/key)", "timeout 5 cat secret/key", "bash -c 'cat secret/key'", "git -C secret log", "gcc -Isecret/a x.c", "cat .e*",
	} {
		for _, text := range []string{"allow Bash; deny Read(secret/**); deny Read(.env)", "mode allow; deny Read(secret/**); deny Read(.env)"} {
			if got := policy(t, text).Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
		if got := policy(t, "allow Bash; ask Read(secret/**); ask Read(.env)").Decide("bash", false, bash(script)); got != ask {
			t.Errorf("with an ask rule %q: %v", script, got)
		}
	}
	for _, script := range []string{"cat public/key", "ls", "ls *", "cat *.txt", "go test ./...", "git checkout secret", "git commit -m secret", "cat secrets/key", "echo secret", "cat $X", "ls sub/*"} {
		if got := policy(t, "allow Bash; deny Read(secret/**); deny Read(.env)").Explain("bash", false, bash(script)); got.Decision != allow {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
}

// Whatever may write to a place that a rule denies is denied or reviewed.
func TestADenyRuleForWritersHoldsForCommands(t *testing.T) {
	for _, script := range []string{
		"echo x > sec*/key", "echo x > secret/key", "echo x > $F", "echo x > {secret,}/key", "ln -s secret l9; echo y >> l9/key", "ln -s ../secret sub/l", "ln -s . l9; echo y >> l9/secret/key", "ln -s $X l", "ln -sf sec* l", "sed -i s/a/b/ sec*/key", "sed -i -e s/a/b/ secret/key", "perl -i -pe s/a/b/ secret/key", "rm */key", "rm -rf *", "rm -rf .", "mv s* t2", "mv secret t2", "touch {secret,}/key", "touch {secret,x}/key",
		"for f in secret/*; do rm $f; done", "for f in sec*/*; do rm $f; done", "for f in $(ls secret); do rm secret/$f; done", "find secret -delete", "find . -name key -delete", "find -delete", "find secret -exec rm {} +", "ls secret/* | xargs rm", "git rm -r secret", "git checkout -- secret", "git checkout .", "git restore secret/key", "git clean -fdx", "git clean -fd secret", "git mv secret x", "sort a -o secret/key", "sort -osecret/key a", "sort --output=secret/key a", "curl -o secret/key x", "curl -sosecret/key x", "wget -O secret/key x", "cp -tsecret a", "cp -t secret a", "cp --target-directory=secret a", "ln secret/key hl", "ln -t sub secret/key",
		"tee secret/key", "tee sec*/k", "dd of=secret/key", "cd secret && touch a", "cd sec* && touch a", "git diff --output=secret/key", "go test -o secret/x", "gzip secret/key", "cp a \"$D/key\"", "D=secret; cp a $D/key", "bash -c 'rm secret/*'", "env A=1 tee secret/key", "truncate -s 0 secret/key", "install a secret/", "rsync a secret/",
	} {
		for _, text := range []string{"allow Bash; deny Edit(secret/**)", "mode allow; deny Edit(secret/**)"} {
			if got := policy(t, text).Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
		if got := policy(t, "allow Bash; ask Edit(secret/**)").Decide("bash", false, bash(script)); got == allow {
			t.Errorf("with an ask rule %q: %v", script, got)
		}
	}
	for _, script := range []string{
		"rm -rf build", "rm *.o", "for f in *.txt; do rm $f; done", "for f in a b; do rm sub/$f; done", "echo x > out", "echo x > /dev/null", "cat secret/key", "sed -i \"s/$A/b/\" a.txt", "sed -i -e \"s/$A/b/\" a.txt", "sed -n \"/$A/p\" a", "git checkout main", "git checkout -b $B", "git commit -m \"$M\"", "touch sub/*", "mkdir -p a/b", "tee out", "ls > out 2>&1", "find sub -delete", "mv a b", "ln -s a b", "cp -r secret x", "go build -o bin/x", "D=sub; cp a $D/key",
	} {
		if got := policy(t, "allow Bash; deny Edit(secret/**)").Explain("bash", false, bash(script)); got.Decision != allow {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
}
