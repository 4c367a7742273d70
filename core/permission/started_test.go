package permission_test

import "testing"

// A deny rule holds for what a program starts that its arguments name.
func TestADenyRuleHoldsForWhatAProgramStarts(t *testing.T) {
	for _, script := range []string{
		"uv run rm x", "uv run --with a rm x", "poetry run rm x", "pipenv run rm x", "npx rm x", "npx -c 'rm x'", "npx -y -- rm x", "bunx rm x", "bun x rm x",
		"pnpm exec rm x", "pnpm dlx rm x", "yarn dlx rm x", "npm exec -- rm x", "bundle exec rm x", "mise exec -- rm x", "mise x node@20 -- rm x",
		"direnv exec . rm x", "nix run nixpkgs#x -- rm x", "nix shell nixpkgs#x -c rm x", "nix develop -c rm x", "nix develop --command rm x",
		"nix-shell --run 'rm x'", "nix-shell -p a --run 'rm x'", "flock f rm x", "flock f -c 'rm x'", "watch rm x", "watch 'rm x'", "watch -n 1 'a; rm x'",
		"parallel rm ::: x", "parallel 'a; rm {}' ::: x", "script -c 'rm x'", "script -qc 'rm x' /dev/null", "expect -c 'spawn rm x'", "expect -c 'exec rm x'",
		"setsid rm x", "setsid -w rm x", "chroot / rm x", "chroot --userspec=a / rm x", "nsenter -t 1 rm x", "nsenter -t 1 -m -- rm x", "unshare -r rm x",
		"systemd-run --user rm x", "systemd-run -p A=b rm x", "ssh host rm x", "ssh host 'a; rm x'", "ssh -t -p 22 -i k host 'a; rm x'",
		"ssh -o A=b -o C=d -p 22 -i k user@host 'a && rm x'", "ssh host 'bash -c \"rm x\"'", "ssh host sudo rm x", "sudo -u a rm x", "sudo -- rm x",
		"sudo A=b rm x", "env -S 'rm x'", "env -S'rm x'", "env --split-string='rm x'", "busybox rm x", "busybox sh -c 'rm x'", "xargs -I{} sh -c 'rm {}'",
		"docker exec c rm x", "docker exec c sh -c 'rm x'", "docker run --rm -it -v a:b -w /x img rm x", "kubectl exec p -- rm x", "git -c alias.p='!rm x' p",
		"git -c core.pager='rm x' log", "git -c core.sshCommand='rm x' fetch", "GIT_SSH_COMMAND='rm x' git fetch",
		"git -c alias.a='!git b' -c alias.b='!rm x' a", "git submodule foreach 'rm x'", "git bisect run rm x", "git rebase -x 'rm x' main",
		"git config alias.p '!rm x'", "zip -TT 'rm x' a b", "find . -exec rm {} +", "fd -x rm", "fd . -X rm {}", "rg --pre rm x",
		"sort --compress-program=rm a", "make SHELL='rm x'", "tar --to-command='rm x' -xf a", "hyperfine 'rm x'", "entr rm x", "tmux new -d 'rm x'",
		"screen -dm rm x", "at now <<< 'rm x'", "echo 'rm x' | at now", "batch <<< 'rm x'", "crontab <<< '* * * * * rm x'", "su -c 'rm x'", "su a -c 'rm x'",
		"runuser -u a -- rm x", "cargo run -- rm x", "pipx run rm x", "uvx rm x", "conda run -n a rm x", "doas rm x", "pkexec rm x", "ionice -c 3 rm x",
		"chrt -i 0 rm x", "taskset 1 rm x", "strace -f rm x", "ltrace rm x", "unbuffer rm x", "dbus-run-session -- rm x", "xvfb-run -a rm x",
		"tox exec -- rm x", "tox exec -e py -- rm x", "hatch run rm x", "pdm run rm x", "rye run rm x", "turbo exec -- rm x", "lerna exec -- rm x",
		"lerna exec 'rm x'", "nx exec -- rm x", "dotenv -- rm x", "dotenv -f .env run -- rm x", "cross-env A=b rm x", "cross-env-shell 'rm x'",
		"concurrently 'rm x' 'a'", "nodemon --exec 'rm x'", "nodemon -x 'rm x'", "op run -- rm x", "heroku run rm x", "vagrant ssh -c 'rm x'",
		"rsync -e 'rm x' a b:", "multipass exec a -- rm x", "limactl shell a rm x", "wsl rm x", "flatpak-spawn --host rm x", "toolbox run rm x",
		"distrobox enter a -- rm x", "ssh-agent rm x", "trap 'rm x' EXIT", "coproc rm x", "mapfile -C 'rm x' a", "command rm x",
		"PROMPT_COMMAND='rm x' bash -i", "BASH_ENV=<(echo rm x) bash -c a", "kubectl debug n -- rm x", "systemd-nspawn -D / rm x", "runcon a rm x", "sem rm x",
		"pdsh -w h rm x", "mosh host -- rm x", "autossh host 'rm x'", "tsocks rm x", "stdbuf -oL rm x", "eval 'rm x'", "printf 'rm x' | sh", "bash <<< 'rm x'",
		"bash <(echo rm x)",
	} {
		if got := policy(t, "mode allow; deny Bash(rm:*)").Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
			t.Errorf("%q: %v", script, got.Decision)
		}
	}
	for _, script := range []string{"at -l", "crontab -l", "ssh host uptime", "docker run --rm -v a:b img ls", "nodemon x.js", "concurrently 'npm run a' 'npm run b'", "npx tsc", "uv run pytest"} {
		if got := policy(t, "mode allow; deny Bash(rm:*)").Explain("bash", false, bash(script)); got.Decision != allow {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
}
