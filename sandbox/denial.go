package sandbox

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// A Denial is one thing that confinement kept a command from.
type Denial struct {
	Kind DenialKind
	Path string // absolute; for the network an address or a socket, or empty
}

// A DenialKind is what was denied.
type DenialKind string

// The kinds of denials.
const (
	DeniedWrite     DenialKind = "write"     // of a path outside Cmd.Writable
	DeniedRead      DenialKind = "read"      // of a path in Cmd.Hidden
	DeniedProtected DenialKind = "protected" // a change of a path in Cmd.Protected
	DeniedNetwork   DenialKind = "network"
)

const (
	// maxDenials bounds what Denials returns.
	maxDenials = 16
	// maxOutput is how much of an output is looked at, from its end.
	maxOutput = 64 << 10
	// nearby is how many lines from an error its path may stand.
	nearby = 3
)

// Denials tells what confinement kept a command from, as far as its failure shows.
// A path counts when it stands by an error that denials come as, the command was
// held back from it, and we ourselves could do outside what it could not. It looks
// at the disk, and when an address of this machine was refused it connects to it.
// What a command did and what was put back counts whether it failed or not; and of a
// command that did not, or whose failure another hid as in a pipe, that a protected
// path is busy or read-only.
func Denials(cmd Cmd, exit Exit, output []byte) []Denial {
	d := denials{cmd: cmd, places: nil}
	for _, path := range slices.Concat(exit.Restored, exit.Unclear) {
		d.add(DeniedProtected, path)
	}
	if cmd.Unconfined {
		return d.found
	}
	c := confinementOf(cmd, false)
	d.places = c.places()
	d.code = exit.Code
	if len(output) > maxOutput {
		output = output[len(output)-maxOutput:]
	}
	lines := strings.Split(string(bytes.ToValidUTF8(output, nil)), "\n")
	for i, line := range lines {
		kind, ok := failureIn(line)
		if !ok || exit.Code == 0 && kind != failBusy && kind != failReadOnly {
			continue
		}
		before := len(d.found)
		d.judge(kind, line, pathsIn(line))
		for _, near := range lines[max(0, i-nearby):min(len(lines), i+nearby+1)] {
			d.judge(kind, line, namedPath(near))
		}
		if !cmd.Network && len(d.found) == before {
			d.judgeNetwork(kind, line)
		}
	}
	return d.found
}

// denials is the work of one call of Denials.
type denials struct {
	cmd    Cmd
	code   int
	places []place
	found  []Denial
}

func (d *denials) add(kind DenialKind, path string) {
	found := Denial{kind, path}
	if kind == DeniedNetwork { // with an address if one is told
		i := slices.IndexFunc(d.found, func(f Denial) bool { return f.Kind == kind && (f.Path == "" || path == "") })
		if i >= 0 {
			d.found[i].Path += path
			return
		}
	}
	if len(d.found) < maxDenials && !slices.Contains(d.found, found) {
		d.found = append(d.found, found)
	}
}

// A failure is how the kernel says no.
type failure int

const (
	failReadOnly    failure = iota // a mount is
	failForbidden                  // by rights, or by Landlock or Seatbelt
	failBusy                       // what is mounted cannot be moved
	failCrossing                   // nor can something be moved or linked between mounts
	failMissing                    // a hidden directory is empty
	failUnreachable                // no network
	failRefused
)

// failures are how programs word them. C libraries translate.
var failures = []struct {
	kind  failure
	texts []string
}{
	{failReadOnly, []string{"read-only file system", "erofs", "errno 30", "只读文件系统"}},
	{failForbidden, []string{
		"permission denied", "operation not permitted", "eacces", "eperm", "errno 13", "errno 1]",
		"权限不够", "不允许的操作", "not writable", "access denied",
	}},
	{failBusy, []string{"device or resource busy", "resource busy", "ebusy", "设备或资源忙"}},
	{failCrossing, []string{"cross-device link", "exdev", "无效的跨设备链接"}},
	{failUnreachable, []string{
		"network is unreachable", "enetunreach", "could not resolve", "couldn't resolve", "name resolution", "no such host",
		"name or service not known", "enotfound", "eai_again", "getaddrinfo", "网络不可达", "域名解析",
	}},
	{failRefused, []string{"connection refused", "econnrefused", "cannot connect", "could not connect", "couldn't connect", "failed to connect", "拒绝连接"}},
	{failMissing, []string{"no such file or directory", "enoent", "没有那个文件或目录"}},
}

func failureIn(line string) (kind failure, ok bool) {
	line = strings.ToLower(line)
	for _, f := range failures {
		for _, text := range f.texts {
			if strings.Contains(line, text) {
				return f.kind, true
			}
		}
	}
	return 0, false
}

// judge looks which of names, in a line of a failure, the failure is about.
func (d *denials) judge(kind failure, line string, names []string) {
	for _, name := range names {
		path := name
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(valueOf(d.cmd.Env, "HOME"), rest)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(d.cmd.Dir, path)
		}
		path = d.protectedAt(kind, filepath.Clean(path), name)
		real, there := resolve(path)
		// Some programs try to make the parents of what they cannot make.
		how := kind
		if kind == failMissing && !there && strings.Contains(line, "mkdir") && isDirectory(filepath.Dir(real)) {
			how = failReadOnly
		}
		if what, ok := d.kindOf(how, real, there); ok && (d.code != 0 || what == DeniedProtected) {
			d.add(what, path)
		}
	}
}

// protectedAt returns path, or the protected one that a program means by name which
// works in another directory, as git does at the top of a working tree.
func (d *denials) protectedAt(kind failure, path, name string) string {
	if filepath.IsAbs(name) || kind != failBusy && kind != failReadOnly {
		return path
	}
	if class, inside := classOf(d.places, path); inside && class == protected {
		return path
	}
	end := string(filepath.Separator) + filepath.Clean(name)
	for _, p := range d.places {
		if p.class == protected && strings.HasSuffix(p.path, end) {
			return p.path
		}
	}
	return path
}

// kindOf tells what was denied when using a path failed, if anything was.
func (d *denials) kindOf(kind failure, path string, there bool) (DenialKind, bool) {
	class, inside := classOf(d.places, path)
	switch {
	case inside && class == hidden:
		return DeniedRead, there && kind != failBusy && canRead(path)
	case isSocket(path) && d.cmd.Network:
		return DeniedNetwork, kind != failBusy && slices.Contains(daemonSockets(d.cmd.Env), path) && answers(path)
	case isSocket(path):
		return DeniedNetwork, !d.cmd.Network && kind != failBusy && class != writable
	case kind == failMissing, kind == failUnreachable, kind == failRefused:
		return "", false
	case kind == failForbidden && d.code == codeNotExecuted && !canExecute(path):
		return "", false
	case inside && class == writable:
		return DeniedWrite, kind == failForbidden && d.closed(path) && canChange(path)
	case inside && class == protected:
		return DeniedProtected, canChange(path)
	}
	return DeniedWrite, kind != failBusy && canChange(path)
}

// codeNotExecuted is what a shell exits with when a file is no program.
const codeNotExecuted = 126

// closed tells whether a path is in a directory above a hidden one, where Landlock
// lets nothing be created.
func (d *denials) closed(path string) bool {
	dir := filepath.Dir(path)
	return slices.ContainsFunc(d.places, func(p place) bool { return p.class == hidden && within(dir, p.path) })
}
