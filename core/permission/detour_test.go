package permission_test

import "testing"

// None of these runs rm unasked where rules allow every command but rm.
func TestADenyRuleIsNotWalkedRound(t *testing.T) {
	for _, script := range []string{
		"env -S'rm d'", "env -S 'rm d'", "env --split-string='rm d'", "env --split-string 'rm d'", "env --sp='rm d'", "env -iS'rm d'", "env -Srm d", "env -S'-i A=b rm d'", `env -S'\x72m d'`, `env -S"$X"`, "env A=1 -S'rm d'; env -vS 'rm d'",
		"hash -p /bin/rm ls; ls d", "hash -p $X ls", "BASH_CMDS[ls]=/bin/rm; ls d", "BASH_ALIASES[ls]=rm; ls d", "declare -A BASH_CMDS=([ls]=/bin/rm); ls d", "enable -f ./x.so x",
		"/lib64/ld-linux-x86-64.so.2 /bin/rm d", "/lib/ld-musl-x86_64.so.1 /bin/rm d", "ld.so --argv0 x /bin/rm d", "setpriv --reuid 0 rm d", "numactl -N 0 rm d", "linux32 rm d",
		". <(echo rm d)", "source <(echo rm d)", "source /dev/stdin <<< 'rm d'", ". /dev/fd/3 3<<< 'rm d'", "printf 'rm d' | sh /dev/stdin", "printf 'rm d' | bash /dev/fd/0", "bash /proc/self/fd/3", "bash <(echo rm d)", "cd /dev; echo rm d | sh stdin", "sh /dev/stdin <<< 'rm d'", `. "$X"`,
		"BASH_ENV=<(echo rm d) bash -c :", `BASH_ENV="$X" bash -c :`, "ENV=/dev/stdin sh -i", "env BASH_ENV=/dev/stdin bash -c :", "mapfile -C 'rm d #' -c 1 x < a", "readarray -c 1 -C'rm d #' x", "mapfile -tC \"$X\" y", "compgen -C 'rm d'", "compgen -W '$(rm d)'", "complete -C 'rm d' x", "bind -x '\"a\": rm d'",
		"GIT_SSH_COMMAND='rm d;:' git fetch ssh://x/y", "export GIT_SSH_COMMAND='rm d;:'; git fetch", "env GIT_SSH_COMMAND='rm d' git fetch", "read GIT_SSH_COMMAND <<< 'rm d'", "printf -v GIT_SSH_COMMAND 'rm d'", "for GIT_SSH_COMMAND in 'rm d'; do git fetch; done", ": ${GIT_SSH_COMMAND:=rm d}", "GIT_PAGER=\"$X\" git log", "PAGER='rm d' man ls", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm d' git x", "TAR_OPTIONS='--checkpoint-action=exec=rm d' tar c a",
		"git grep -O'rm d ;' S", "git grep --open-files-in-pager='rm d' S", "git grep -nO'rm d' S", "git rebase --exec='rm d'", "git rebase -x'rm d' main", "tar --checkpoint-action=exec='rm d'", "tar c a --checkpoint-action exec='rm d'", "tar xf a --to-command='rm d'", "tar -I 'rm d' -cf a b", "tar cf a --use-compress-program=rm b", "rsync -e 'rm d' a b", "rsync --rsh='rm d' a b", "ssh -oProxyCommand='rm d' h", "ssh -o 'ProxyCommand=rm d' h",
		"sort --compress-program=rm a", "go test -exec 'rm d'", "go test -exec=rm", "npm test --script-shell='rm d'", `tar --to-command="$X" -xf a`, "split --filter='rm d' a", "rg --pre rm x", "wget --use-askpass=rm x",
		"let 'a[$(rm d)]=1'", "declare 'a[$(rm d)]=1'", "[[ 'a[$(rm d)]' -eq 1 ]]", "export 'a[$(rm d)]=1'", "typeset \"a[\\$(rm d)]=1\"", "[[ -v 'a[$(rm d)]' ]]", "test 'a[`rm d`]' -eq 1", "(( 'a[$(rm d)]' ))", "echo $(( 'a[$(rm d)]' ))", "echo ${x['a[$(rm d)]']}", "echo ${x:'a[$(rm d)]'}", "x='a[$'; y='(rm d)]'; let \"$x$y\"", "let 'a[$'\"$x\"'(rm d)]'", "unset 'a[$(rm d)]'", "read 'a[$(rm d)]'", "printf -v 'a[$(rm d)]' x", "x=$'a[\\x24(rm d)]'; (( x ))", "wait -p 'a[$(rm d)]'",
	} {
		for _, text := range []string{"allow Bash; deny Bash(rm:*)", "mode allow; deny Bash(rm:*)"} {
			if got := policy(t, text).Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
	}
}

// A deny rule about rm is not in the way of these.
func TestADenyRuleLeavesOtherCommandsAlone(t *testing.T) {
	for _, script := range []string{
		"env -i A=1 go test", "hash -r", "hash git", "mapfile -t lines < a", "compgen -c", "EDITOR=vi git commit", "GIT_PAGER=cat git log", "rsync -e 'ssh -p 22' a b", "tar -I zstd -cf a b", "ssh -o BatchMode=yes h", "declare -i n=1", "let n=n+1", "(( i++ ))", "[[ $n -eq 1 ]]", "echo $((n + 1))",
		"bash ./x.sh", ". ./env.sh", "CC=gcc make", "export PATH=$PATH:/x", "CFLAGS=\"$CFLAGS -O2\" make", "git grep -n x", "git rebase main", "GIT_AUTHOR_NAME=\"$N\" git commit",
	} {
		if got := policy(t, "allow Bash; deny Bash(rm:*)").Explain("bash", false, bash(script)); got.Decision != allow {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
}
