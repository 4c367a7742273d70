package sandboxtest

import "reasonix/sandbox"

// An attempt is one thing that a confined command is to fail at. Whether it did is
// judged by what has changed, was read or arrived, not by what it says.
type attempt struct {
	name  string
	holds sandbox.Guarantee // what it would break
	// script runs in the workspace. Variables lead it: B is the ground, O what may
	// only be read, S what may not, H the home directory, V the process of others.
	script string
	trial  string // instead of a script, what this binary does; see trials
	// then is what a second command does: once the first has ended, or while it runs
	// when beside is set. That one goes on until the second has ended.
	then   string
	beside bool
	// open hides nothing in the workspace: above a hidden directory Landlock lets
	// nothing be made.
	open bool
	// bound is set when it fails without a sandbox too on some machines or for some
	// users: then it proves a little less.
	bound    bool
	env      string // one more variable, with those of the ground in it
	terminal bool   // with a terminal of others as its output
	leak     bool   // with a file outside left open by the owner
}

// Scripts go on after a failed step.
var attempts = []attempt{
	{holds: sandbox.HoldsWrites, name: "absolute path", script: `echo x >"$O/file"`},
	{holds: sandbox.HoldsWrites, name: "new file", script: `echo x >"$O/new"`},
	{holds: sandbox.HoldsWrites, name: "parent directory", script: `cd sub; echo x >../../outside/file`},
	{holds: sandbox.HoldsWrites, name: "link to a directory", script: `echo x >out/file`},
	{holds: sandbox.HoldsWrites, name: "link to a file", script: `echo x >outfile`},
	{holds: sandbox.HoldsWrites, name: "dangling link", script: `echo x >dangling`},
	{holds: sandbox.HoldsWrites, name: "new link", script: `ln -s "$O" new; echo x >new/file`},
	{holds: sandbox.HoldsWrites, name: "hard link", script: `ln "$O/file" hard && echo x >>hard`},
	{holds: sandbox.HoldsWrites, name: "move out", script: `mv "$O/file" .`},
	{holds: sandbox.HoldsWrites, name: "move in", script: `mv main.txt "$O/file"`},
	{holds: sandbox.HoldsWrites, name: "remove", script: `rm -f "$O/file"; rm -rf "$O/dir"`},
	{holds: sandbox.HoldsWrites, name: "empty", script: `: >"$O/file"; truncate -s 0 "$O/file"`},
	{holds: sandbox.HoldsWrites, name: "new directory, pipe and link", script: `mkdir "$O/d"; mkfifo "$O/p"; ln -s x "$O/l"`},
	{holds: sandbox.HoldsWrites, name: "/proc/self/root", script: `echo x >"/proc/self/root$O/file"`},
	{holds: sandbox.HoldsWrites, name: "/proc/self/cwd", script: `echo x >/proc/self/cwd/../outside/file`},
	{holds: sandbox.HoldsWrites, name: "root of others", script: `echo x >"/proc/$V/root$O/file"`},
	{holds: sandbox.HoldsWrites, name: "directory of others", script: `echo x >/proc/$V/cwd/file`},
	{holds: sandbox.HoldsWrites, name: "descriptor of others", script: `echo x >/proc/$V/fd/1`},
	{holds: sandbox.HoldsWrites, name: "root of the supervisor", script: `echo x >"/proc/$PPID/root$O/file"; echo x >"/proc/1/root$O/file"`},
	{holds: sandbox.HoldsWrites, name: "bind mount", bound: true, script: `mkdir m; mount --bind "$O" m; echo x >m/file`},
	{holds: sandbox.HoldsWrites, name: "remount", bound: true, script: `mount -o remount,rw,bind / /; mount -o remount,rw,bind "$B"; mount -o remount,rw /; echo x >"$O/file"`},
	{holds: sandbox.HoldsWrites, name: "unmount", bound: true, script: `umount -l "$PWD"; umount -l /; cd "$O"; echo x >"$O/file"`},
	{
		holds: sandbox.HoldsWrites, name: "namespaces of its own", bound: true,
		script: `unshare -Urm sh -c 'mount -o remount,rw,bind / /; mkdir m; mount --bind "$O" m; mount -o remount,rw,bind m; echo x >m/file; echo x >"$O/file"'`,
	},
	{
		holds: sandbox.HoldsWrites, name: "namespaces of the system", bound: true,
		script: `nsenter -t 1 -m sh -c 'echo x >"$O/file"'; nsenter -t "$V" -m sh -c 'echo x >"$O/file"'`,
	},
	{holds: sandbox.HoldsWrites, name: "chroot", bound: true, trial: "chroot"},
	{holds: sandbox.HoldsWrites, name: "file handle", bound: true, trial: "handle"},
	{
		holds: sandbox.HoldsWrites, name: "descriptor left open", bound: true, leak: true,
		script: `for f in /proc/self/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && eval "echo x >&$n"; done`,
	},
	{
		// To open is enough: what is written there holds for the whole machine.
		holds: sandbox.HoldsWrites, name: "settings of the kernel", bound: true,
		script: `for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches /proc/sysrq-trigger /proc/irq/default_smp_affinity \
	/proc/mtrr /proc/scsi/scsi /proc/acpi/wakeup /sys/kernel/uevent_helper /sys/kernel/mm/transparent_hugepage/enabled /sys/power/state /sys/fs/cgroup/cgroup.procs; do
	[ -e $f ] && (exec 3>>$f) 2>/dev/null && echo ESCAPED $f; done`,
	},
	{
		holds: sandbox.HoldsWrites, name: "settings of the kernel by a mount of its own", bound: true,
		script: `unshare -Urmpf sh -c 'mkdir p; mount -t proc p p && (exec 3>>p/sys/kernel/core_pattern) && echo ESCAPED; mount -o remount,rw /proc
	(exec 3>>/proc/sys/kernel/core_pattern) && echo ESCAPED'`,
	},
	{holds: sandbox.HoldsWrites, name: "settings of reasonix", script: `echo x >>"$H/config.toml"; echo x >"$H/new.toml"`},
	{holds: sandbox.HoldsWrites, open: true, name: "link in the place of a writable directory", script: `rm -rf cache; ln -s "$O" cache`, then: `echo x >"$O/file"; echo x >cache/file`},
	{holds: sandbox.HoldsWrites, open: true, name: "link above a writable directory", script: `mv caches c; ln -s "$O" caches`, then: `echo x >"$O/dir/file"`},
	{holds: sandbox.HoldsWrites, open: true, name: "link where a writable directory is not yet", script: `ln -s "$O" later`, then: `echo x >"$O/file"`},
	{holds: sandbox.HoldsWrites, open: true, name: "link over a link", script: `rm -rf cache later; ln -s "$O" later; ln -s later cache`, then: `echo x >"$O/file"`},
	{
		holds: sandbox.HoldsWrites, open: true, name: "link put by a command that runs", beside: true,
		script: `rm -rf cache; ln -s "$O" cache; mv caches c; ln -s "$O" caches`, then: `echo x >"$O/file"; echo x >"$O/dir/file"`,
	},

	{holds: sandbox.HoldsMetadata, name: "mode", script: `chmod 777 "$O/file" "$O/dir"`},
	{holds: sandbox.HoldsMetadata, name: "owner", bound: true, script: `chown 1:1 "$O/file"`},
	{holds: sandbox.HoldsMetadata, name: "times", script: `touch -d 2001-01-01 "$O/file"`},
	{holds: sandbox.HoldsMetadata, name: "mode through a link", script: `chmod 777 outfile`},
	{holds: sandbox.HoldsMetadata, name: "extended attribute", bound: true, trial: "xattr"},

	{holds: sandbox.HoldsHidden, name: "path", script: `cat "$S/token"`},
	{holds: sandbox.HoldsHidden, name: "file by its path", script: `cat "$B/secretfile"`},
	{holds: sandbox.HoldsHidden, name: "secret of reasonix", script: `cat "$H/.env"`},
	{holds: sandbox.HoldsHidden, name: "session beside readable output", script: `cat "$H/projects/s/session.jsonl"`},
	{holds: sandbox.HoldsHidden, name: "parent directory to read", script: `cat ../secret/token`},
	{holds: sandbox.HoldsHidden, name: "link to read", script: `cat tosecret toenv`},
	{holds: sandbox.HoldsHidden, name: "new link to read", script: `ln -s "$S" new; cat new/token`},
	{holds: sandbox.HoldsHidden, name: "hard link to read", script: `ln "$S/token" hard; ln "$B/secretfile" hard2; cat hard hard2`},
	{holds: sandbox.HoldsHidden, name: "copy", script: `cp -r "$S" "$H" "$B/secretfile" "$TMPDIR"; cat "$TMPDIR"/*/* "$TMPDIR"/*/.env "$TMPDIR"/*`},
	{holds: sandbox.HoldsHidden, name: "archive", script: `tar cf - "$B" 2>/dev/null | cat`},
	{holds: sandbox.HoldsHidden, name: "move to read", script: `mv "$S" s; mv "$B/secretfile" f; cat s/token f`},
	{holds: sandbox.HoldsHidden, name: "inside the workspace", script: `cat deep/private/token`},
	{holds: sandbox.HoldsHidden, name: "parent moved", script: `mv deep deep2; cat deep2/private/token; mv deep2 deep; cat deep/private/token`},
	{holds: sandbox.HoldsHidden, name: "remove what hides", script: `rmdir deep/private; rm -f "$B/secretfile"; cat deep/private/token "$B/secretfile"`},
	{holds: sandbox.HoldsHidden, name: "/proc/self/root to read", script: `cat "/proc/self/root$S/token"`},
	{holds: sandbox.HoldsHidden, name: "root of others to read", script: `cat "/proc/$V/root$S/token" "/proc/$V/cwd/../secret/token"`},
	{
		holds: sandbox.HoldsHidden, name: "unmount in a namespace of its own", bound: true,
		script: `unshare -Urm sh -c 'umount -l "$S"; umount "$B/secretfile"; cat "$S/token" "$B/secretfile"'`,
	},
	{
		holds: sandbox.HoldsHidden, open: true, name: "link in the place of a writable directory to read",
		script: `rm -rf cache later; ln -s "$S" cache; ln -s "$H/projects/s" later`, then: `cat "$S/token" cache/token "$H/projects/s/session.jsonl"; echo x >"$S/token"`,
	},
	{
		holds: sandbox.HoldsHidden, open: true, name: "link put by a command that runs to read", beside: true,
		script: `rm -rf cache; ln -s "$S" cache`, then: `cat "$S/token" cache/token`,
	},
	{
		holds: sandbox.HoldsHidden, name: "parent moved by the command before",
		script: `mv deep deep2; mkdir -p deep/private`, then: `cat deep2/private/token; rm -r deep; mv deep2 deep`,
	},

	{holds: sandbox.HoldsListing, name: "list", script: `ls -a "$S"`},
	{holds: sandbox.HoldsListing, name: "find", script: `find "$B" ..`},

	{holds: sandbox.HoldsProtected, name: "new hook", script: `printf x >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`},
	{holds: sandbox.HoldsProtected, name: "changed hook", script: `echo x >>.git/hooks/mine`},
	{holds: sandbox.HoldsProtected, name: "hook's mode", script: `chmod +x .git/hooks/mine`},
	{holds: sandbox.HoldsProtected, name: "git's configuration", script: `echo "[core] fsmonitor = x" >>.git/config; git config core.fsmonitor x`},
	{holds: sandbox.HoldsProtected, name: "git directory moved", script: `mv .git .git2; echo x >>.git2/config; echo x >.git2/hooks/post-commit; mv .git2 .git`},
	{
		holds: sandbox.HoldsProtected, name: "git directory made anew",
		script: `mv .git .git2; cp -r .git2 .git; echo x >>.git/config; echo x >.git/hooks/post-commit`,
	},
	{holds: sandbox.HoldsProtected, name: "not yet there", script: `echo x >.envrc; echo x >.mcp.json; mkdir .vscode; echo x >.vscode/tasks.json`},
	{holds: sandbox.HoldsProtected, name: "link in its place", script: `ln -s main.txt .envrc; rm -rf .reasonix; ln -s "$O" .reasonix`},
	{holds: sandbox.HoldsProtected, name: "replaced", script: `echo x >t; mv -f t reasonix.toml`},
	{holds: sandbox.HoldsProtected, name: "removed", script: `rm -rf .reasonix reasonix.toml .git/hooks sub/.envrc`},
	{holds: sandbox.HoldsProtected, name: "hard link to it", script: `ln .git/config c; echo x >>c; ln reasonix.toml r; echo x >>r`},
	{holds: sandbox.HoldsProtected, name: "parent moved", script: `mv sub sub2; mkdir sub; echo x >sub/.envrc`},
	{holds: sandbox.HoldsProtected, name: "/proc/self/cwd", script: `echo x >/proc/self/cwd/reasonix.toml; echo x >/proc/self/cwd/.envrc`},
	{holds: sandbox.HoldsProtected, name: "written to the last", script: `(while :; do echo x >.envrc; echo x >.git/hooks/late; done) >/dev/null 2>&1 & sleep 0.1`},
	{
		holds: sandbox.HoldsProtected, open: true, name: "made by a command that runs", beside: true,
		script: `echo x >.envrc; echo x >.mcp.json; mkdir .vscode; echo x >.vscode/tasks.json`, then: `:`,
	},
	{
		holds: sandbox.HoldsProtected, open: true, name: "changed by a command that runs", beside: true,
		script: `echo x >>.git/config; echo x >.git/hooks/late; rm -r .reasonix; mv sub sub2; mkdir sub; echo x >sub/.envrc`, then: `:`,
	},

	{holds: sandbox.HoldsNetwork, name: "tcp", trial: "tcp"},
	{holds: sandbox.HoldsNetwork, name: "udp", trial: "udp"},
	{holds: sandbox.HoldsNetwork, name: "tcp of the shell", script: `bash -c 'exec 3<>/dev/tcp/${TCP%:*}/${TCP##*:}; read -r x <&3'`},
	{holds: sandbox.HoldsNetwork, name: "raw packets", bound: true, trial: "packet"},
	{holds: sandbox.HoldsNetwork, name: "sockets of the virtual machine", bound: true, trial: "vsock"},
	{
		holds: sandbox.HoldsNetwork, name: "namespace of others", bound: true,
		script: `for p in 1 $V; do ` + trialEnv + `=tcp nsenter -t $p -n "$SELF"; done`,
	},

	{holds: sandbox.HoldsSockets, name: "stream", trial: "unix"},
	{holds: sandbox.HoldsSockets, name: "datagram", trial: "unixgram"},
	{holds: sandbox.HoldsSockets, name: "abstract name", trial: "abstract"},
	{holds: sandbox.HoldsSockets, name: "link to a socket", script: `ln -s "$SOCK" s; SOCK=s ` + trialEnv + `=unix "$SELF"`},
	{holds: sandbox.HoldsSockets, name: "/proc/self/root", script: `SOCK="/proc/self/root$SOCK" ` + trialEnv + `=unix "$SELF"`},

	{holds: sandbox.HoldsDaemons, name: "engine of containers", env: "DOCKER_HOST=unix://$SOCK", trial: "unix"},
	{holds: sandbox.HoldsDaemons, name: "bus of the session", env: "DBUS_SESSION_BUS_ADDRESS=unix:path=$SOCK,guid=1", trial: "unix"},

	{holds: sandbox.HoldsProcesses, name: "kill", script: `kill -9 $V`},
	{holds: sandbox.HoldsProcesses, name: "kill all", script: `trap '' TERM; kill -USR1 $V; kill -STOP $V`},
	{holds: sandbox.HoldsProcesses, name: "environment", script: `cat /proc/$V/environ /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n'`},
	{holds: sandbox.HoldsProcesses, name: "trace", bound: true, trial: "trace"},
	{holds: sandbox.HoldsProcesses, name: "trace the supervisor", bound: true, trial: "traceOwn"},
	{holds: sandbox.HoldsProcesses, name: "memory", bound: true, trial: "memory"},
	{holds: sandbox.HoldsProcesses, name: "limits", bound: true, trial: "limits"},
	{holds: sandbox.HoldsProcesses, name: "type into a terminal", bound: true, terminal: true, trial: "type"},
}
