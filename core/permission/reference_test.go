package permission_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"reasonix/core/permission"
)

// reference is what an allow verdict has to imply, found by a second, plain walk
// over the syntax tree that shares no code with the package: every simple command
// begins with one of programs, and every file that is written lies in dir. It does
// not follow directories, so the policy must allow no cd.
type reference struct {
	programs []string
	dir      string // relative to /work; "" is nowhere
	// reads says that no program may write or read what its words do not say, and that
	// its words may not name a secret.
	reads bool
}

// does lists, for a program or a program and its verb, what an argument must not
// look like: the beginnings of options that start a program, and of those that write
// or open more besides where the program is only to read. It is written down apart from the table
// of the package, by the manuals of the programs.
var does = map[string]struct{ starts, more string }{
	"git fetch": {"--upload-pack", ""}, "git pull": {"--upload-pack", ""}, "git push": {"--receive-pack --exec", ""}, "git clone": {"-u --upload-pack --template -c --config", ""}, "git ls-remote": {"--upload-pack --exec", ""},
	"git rebase": {"-x --exec", ""}, "git grep": {"-O --open-files-in-pager", ""}, "git archive": {"--exec --remote", "--output -o"}, "git init": {"--template", ""}, "git add": {"-e --edit", ""},
	"git diff": {"--ext-diff --output", "--textconv"}, "git log": {"--ext-diff --output", "--textconv"}, "git show": {"--ext-diff --output", "--textconv"}, "git cat-file": {"--filters --textconv", ""}, "git stash": {"--output --ext-diff", ""},
	"go test": {"-C --C -exec -toolexec -vettool --exec --toolexec --vettool", ""}, "go vet": {"-vettool -toolexec --vettool --toolexec", ""}, "go build": {"-toolexec --toolexec", ""}, "go run": {"-exec -toolexec --exec --toolexec", ""},
	"sort": {"--compress-program", "-o --output --files0-from -T"}, "wc": {"", "--files0-from"}, "du": {"", "--files0-from"}, "file": {"-z -Z", "-f --files-from -C -m --magic-file"}, "jq": {"", "-L -f --from-file --library-path"}, "diff": {"-l --paginate", "--from-file --to-file"},
	"find": {"-exec -ok", "-delete -fprint -fls -files0-from"}, "rg": {"--pre --hostname-bin -z --search-zip", ""}, "tree": {"-R", "-o --output"}, "date": {"", "-s --set -f --file"}, "base64": {"", "-o --output"}, "sed": {"", "-i --in-place -f --file"}, "hostname": {"", "-F --file -b"}, "locale": {"-m", ""},
}

// starters are verbs of git that are there to start something; foreach and run are
// only behind one.
var starters = []string{"filter-branch", "difftool", "mergetool", "send-email", "for-each-repo", "instaweb", "daemon"}

// arguments checks that no argument of an allowed program starts another one.
func (ref reference) arguments(words []string) error {
	name, rest := words[0], words[1:]
	if name == "git" || name == "go" {
		for len(rest) > 0 && name == "git" && strings.HasPrefix(rest[0], "-") {
			if n := 1; rest[0] == "-C" || rest[0] == "-c" {
				rest = rest[min(n+1, len(rest)):]
				continue
			}
			if rest[0] == "--bare" {
				return errors.New("git takes the directory for a repository")
			}
			rest = rest[1:]
		}
		if len(rest) > 0 {
			name, rest = name+" "+rest[0], rest[1:]
		}
	}
	if strings.HasPrefix(name, "git ") && (slices.Contains(starters, name[4:]) || slices.Contains([]string{"git submodule", "git bisect"}, name) && slices.ContainsFunc(rest, func(w string) bool { return w == "foreach" || w == "run" })) {
		return fmt.Errorf("%q starts what it is given", name)
	}
	bad := does[name]
	list := strings.Fields(bad.starts)
	if ref.reads {
		list = append(list, strings.Fields(bad.more)...)
	}
	for _, w := range rest {
		if w == "--" && !strings.HasPrefix(name, "go ") {
			break
		}
		for _, option := range list {
			said, _, _ := strings.Cut(w, "=")
			if name == "find" {
				said = w // it takes no value behind an equals sign
			}
			if said == option || len(option) == 2 && name != "find" && len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.HasPrefix(w, option) {
				return fmt.Errorf("%q has %s", name, w)
			}
		}
	}
	if slices.Contains([]string{"git fetch", "git pull", "git clone", "git push"}, name) && slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "ext::") || strings.HasPrefix(w, "fd::") }) {
		return fmt.Errorf("%q has a remote that is a program", name)
	}
	searches := name == "diff" || name == "rg" || slices.Contains(words, "--no-index") || name == "grep" && slices.Contains(words, "-r")
	if searches && ref.reads && slices.ContainsFunc(rest, func(w string) bool { return slices.Contains([]string{"/", "/home", "/home/me", ".."}, w) }) {
		return fmt.Errorf("%q searches what holds a secret", name)
	}
	if ref.reads && slices.ContainsFunc(rest, func(w string) bool { return path.Clean(w) == secretFile }) {
		return fmt.Errorf("%q opens a secret", name)
	}
	return nil
}

// secretFile is what the policies of the fuzzer keep secret.
const secretFile = "/home/me/.netrc"

// runners start the command among their arguments; only with one of programs there
// may they be allowed.
var runners = []string{"time", "env", "timeout", "nohup", "nice", "command", "builtin", "exec", "setsid", "ionice", "stdbuf", "xargs", "gtimeout"}

func (ref reference) check(script string, depth int) error {
	if depth > 8 {
		return errors.New("nested too deep")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return err
	}
	shells := map[*syntax.CallExpr]string{} // what a shell reads
	syntax.Walk(file, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			call, isCall := s.Cmd.(*syntax.CallExpr)
			for _, r := range s.Redirs {
				if isCall && r.Hdoc != nil {
					shells[call] = r.Hdoc.Lit()
				} else if isCall && r.Op == syntax.WordHdoc {
					shells[call], _ = expand.Literal(nil, r.Word)
				}
			}
		}
		return true
	})
	var bad error
	syntax.Walk(file, func(n syntax.Node) bool {
		var err error
		switch n := n.(type) {
		case *syntax.CallExpr:
			err = ref.call(n, shells[n], depth)
		case *syntax.Redirect:
			err = ref.redirect(n)
		case *syntax.FuncDecl:
			err = errors.New("a function")
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps {
				err = errors.New("a variable is expanded as a script")
			}
		case *syntax.Assign:
			err = subscripts(n)
		case *syntax.DeclClause:
			for _, arg := range n.Args {
				flags := arg.Name == nil && arg.Value != nil && literal(arg.Value) && plainText(arg.Value) != "" && strings.Trim(plainText(arg.Value), "-xrgaApF") == ""
				if !flags && (arg.Name == nil || n.Variant.Value == "export" && !slices.Contains(mild, arg.Name.Value)) {
					err = errors.New("a declaration of who knows what")
				}
			}
		}
		bad = errors.Join(bad, err)
		return true
	})
	return bad
}

// mild are the variables that the documentation says may be set before a command.
var mild = strings.Fields("LANG TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GO111MODULE CGO_ENABLED GOMAXPROCS GOGC GOMEMLIMIT GOTRACEBACK RUST_BACKTRACE " +
	"PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONFAULTHANDLER NODE_ENV RAILS_ENV RACK_ENV MIX_ENV SOURCE_DATE_EPOCH DEBIAN_FRONTEND GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE")

// subscripts checks that an assignment computes no subscript but a number.
func subscripts(n *syntax.Assign) error {
	list := []syntax.ArithmExpr{n.Index}
	if n.Array != nil {
		for _, elem := range n.Array.Elems {
			list = append(list, elem.Index)
		}
	}
	for _, x := range list {
		bad := false
		if x != nil {
			syntax.Walk(x, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.Lit:
					bad = bad || strings.Trim(n.Value, "0123456789@*?#$!") != ""
				case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst, *syntax.ProcSubst:
					bad = true
				}
				return !bad
			})
		}
		if bad {
			return errors.New("a subscript is computed")
		}
	}
	return nil
}

func (ref reference) call(n *syntax.CallExpr, stdin string, depth int) error {
	for _, a := range n.Assigns {
		known := slices.Contains(mild, a.Name.Value) || strings.HasPrefix(a.Name.Value, "LC_")
		if len(n.Args) > 0 && !known || slices.Contains([]string{"PATH", "LD_PRELOAD", "IFS", "BASH_ENV", "GIT_SSH_COMMAND", "ENV", "JAVA_HOME", "GOFLAGS"}, a.Name.Value) {
			return fmt.Errorf("%s is set", a.Name.Value)
		}
	}
	if len(n.Args) == 0 {
		return nil
	}
	if !literal(n.Args[0]) {
		return errors.New("a program that is made at run time")
	}
	var words []string
	for _, w := range n.Args {
		word := "\x00made at run time"
		if !literal(w) {
			words = append(words, word)
			continue
		}
		fields, err := expand.Fields(nil, w)
		if err != nil { // more words than this library counts
			fields = []string{word}
		}
		words = append(words, fields...)
	}
	return ref.words(words, stdin, depth)
}

func (ref reference) words(words []string, stdin string, depth int) error {
	switch {
	case len(words) == 0 || words[0] == "":
		return errors.New("no program")
	case slices.Contains(ref.programs, words[0]):
		return ref.arguments(words)
	case words[0] == "eval":
		return ref.check(strings.TrimPrefix(strings.Join(words[1:], " "), "-- "), depth+1)
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish"}, words[0]):
		for i, w := range words[1:] {
			if i > 0 && !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") && !slices.Contains([]string{"pipefail", "errexit", "nounset", "noglob", "posix"}, w) {
				return ref.check(w, depth+1)
			}
		}
		return ref.check(stdin, depth+1)
	case slices.Contains(runners, words[0]):
		for i := 1; i < len(words); i++ {
			if name, _, set := strings.Cut(words[i-1], "="); set && words[0] == "env" && !strings.HasPrefix(name, "-") && !slices.Contains(mild, name) && !strings.HasPrefix(name, "LC_") {
				return fmt.Errorf("env sets %s", name)
			}
			if err := ref.words(words[i:], stdin, depth); err == nil {
				return nil
			}
		}
		if !slices.ContainsFunc(words[1:], func(w string) bool { return !strings.Contains(w, "=") && !strings.HasPrefix(w, "-") }) {
			return nil // nothing is started
		}
	}
	return fmt.Errorf("%q is covered by nothing", words[0])
}

// redirect checks that what is written lies in the directory.
func (ref reference) redirect(r *syntax.Redirect) error {
	switch r.Op {
	case syntax.RdrIn:
		if literal(r.Word) && path.Clean(plainText(r.Word)) == secretFile {
			return errors.New("a secret is read")
		}
		return nil
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
		return nil
	default:
	}
	if len(r.Word.Parts) == 1 {
		if _, ok := r.Word.Parts[0].(*syntax.ProcSubst); ok {
			return nil
		}
	}
	if !literal(r.Word) {
		return errors.New("a file that is made at run time")
	}
	name := plainText(r.Word)
	if strings.HasPrefix(name, "/dev/") || r.Op == syntax.DplOut && name != "" && strings.Trim(name, "0123456789-") == "" {
		return nil
	}
	if !path.IsAbs(name) {
		name = path.Join("/work", name)
	}
	if ref.dir == "" || !strings.HasPrefix(path.Clean(name)+"/", "/work/"+ref.dir+"/") {
		return fmt.Errorf("%q is written", name)
	}
	return nil
}

// plainText is what a word is when quotes and backslashes are gone.
func plainText(w *syntax.Word) string {
	fields, err := expand.Fields(nil, w)
	if err != nil {
		return ""
	}
	return strings.Join(fields, " ")
}

// literal reports whether a word is known before it runs.
func literal(w *syntax.Word) bool {
	known := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst, *syntax.ExtGlob:
			known = false
		}
		return known
	})
	return known
}

// seeds are scripts that a fuzzer may start from.
var seeds = []string{
	"ls #\\\nrm x", "echo $(ls #\\\nrm x\n)", "let 'a[$(rm x)]=1'", "env -S'rm x'", "cat < /dev/tcp/h/1", "cd x && git status",
	"git status", "git log | head", "echo a && git diff; echo b", "git $(echo x)", "echo `git x`", "git diff <(echo a)", "cat <<E\n$(git x)\nE", "bash -c 'git x && echo y'", "eval 'git x'", "eval git x",
	"timeout 5 git x", "env A=1 git x", "nice -n 5 git x", "nohup git x &", "xargs -n1 echo", "find . -exec git {} +", "sudo git x", "if git x; then echo y; fi", "for i in a b; do echo $i; done", "while git x; do echo y; break; done",
	"case $x in a) git x;; *) echo y;; esac", "(git x; echo y)", "{ git x; }", "git x > docs/a", "git x >> docs/../x", "echo x > /dev/null 2>&1", "echo x &> docs/a", "f() { git x; }; f", "A=1 git x", "PATH=x git y", "export A=1; git x", "! git x", "time git x",
	`"gi"t x`, `g\it x`, `$'\x67it' x`, "$G x", "{git,x}", "~/git x", "/usr/bin/git x", "echo ${x@P}", "echo ${x:-$(git y)}", "echo $((1+2))", "[[ -f a ]] && git x", "((1))", "coproc git x", "git x 3>&1", "exec git x", "exec > docs/a", "command git x", "builtin echo x",
	"bash <<E\ngit x\nE", "bash <<< 'git x'", "sh -ec 'git x'", "bash -o pipefail -c 'git x'", "trap 'git x' EXIT", "alias a=git", "git x\n# comment\ngit y", "echo x > >(git y)", "git -c alias.x='!rm' x", "git -C x status", "xargs -I{} git {} x", "env -S 'git x'", "timeout -k 5 10 git x",
	"declare -i A=1", "let A=1", "select i in a; do git $i; done", "for ((i=0;i<3;i++)); do git x; done", "git x;;", "echo 'a;b' \"c|d\"", "echo a\\;b", "git x |& echo y", "echo \\\n git", "$(git x)", "`git x`", "<(git x)", "echo ~root/x > docs/a", "{fd}> docs/a", "echo x > docs/$A", "eval eval git x", "/eval 'git '", "g\\it\\", "c\x00d", "{,}", "eval '0{{{{'", "() 00", "bash -c \"git $X\"",
	"git fetch --upload-pack=x .", "git fetch ext::sh", "U=--upload-pack=x; git fetch $U .", "git submodule foreach x", "git bisect run x", "go test -exec x", "go test -toolexec=x", "git diff --output=docs/x", "git log --outp docs/x", "git rebase -x x", "git -C a push --exec=x", "git diff --no-index a /", "sort --files0-from=-", "sort -uo a", "wc --files0-from=a", "file -f a", "file -bf a",
	"jq -L a .", "diff -r a b", "find . -fprint a", "rg --pre a b", "sed -i p a", "cat < /home/me/.netrc", "cat /home/me/.netrc", "head -c 5 /home/me/.netrc", "for f in -exec=x; do go test $f; done", "F=docs/a; echo x > $F", "echo --upload-pack=x | xargs git fetch", "git clone -u x y", "git grep -O x", "tree -o a", "date -s x",
	"a=(['b[$(git x)]']=1)", "a=([0]=x [1]=y)", "declare -a a=([b]=1)", "a['$(git x)']=1", "export m=(['b[$(rm)]']=2)", "LANG=C git status", "LC_ALL=C git x", "env LANG=C git x", "FOO=1 git x", "env FOO=1 git x", "export FOO=1; git x", "export CI=1; git x", "GOFLAGS=x go test", "JAVA_HOME=x; git y", "LANG='$(x)' git y", "read y <<< 'a[$(rm)]'; echo $((y))", "for y in 'a[$(rm)]'; do echo $((y)); done", "git --bare diff a b", "git config --unset-a x", "sed 's/[]/A/;s,]/B/w file,C,' x", "date -*", "git config -ze",
}

func FuzzDecide(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	rules := policy(f, "allow Bash(git:*); allow Bash(echo *); allow Bash(go test:*); allow Edit(docs/**)")
	reading := policy(f, "allow Bash(go test:*)") // what a rule about git allows it to read is no concern of the table; no file, as the directory may change
	reading.ReadOnlyCommands = true
	reading.Places.Protected = []string{"/work/.git/config"}
	reading.Places.Secrets = []string{secretFile}
	var table []string
	for _, line := range permission.ReadOnlyCommands() {
		names, _, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(line, ": ") || strings.HasPrefix(line, "true false : ") {
			names = line
		}
		table = append(table, strings.Fields(names)...)
	}
	table = slices.DeleteFunc(table, func(name string) bool {
		return slices.Contains(runners, name)
	})
	plain := reference{programs: []string{"git", "echo", "go"}, dir: "docs"}
	wide := reference{programs: append(table, "git", "echo", "go"), reads: true}
	f.Fuzz(func(t *testing.T, s string) {
		got := rules.Explain("bash", false, bash(s))
		if d := rules.Decide("bash", false, bash(s)); d != got.Decision {
			t.Errorf("%q: Decide %v, Explain %v", s, d, got.Decision)
		}
		if got.Decision == allow {
			if err := plain.check(heard(s), 0); err != nil {
				t.Errorf("%q is allowed: %v", s, err)
			}
		}
		if reading.Decide("bash", false, bash(s)) == allow {
			if err := wide.check(heard(s), 0); err != nil {
				t.Errorf("%q only reads: %v", s, err)
			}
		}
		places(t, "mode allow; deny Bash(rm:*)").Suggest("bash", bash(s))
	})
}

// heard is s as JSON carries it.
func heard(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func TestTheReferenceFindsWhatIsNotCovered(t *testing.T) {
	ref := reference{programs: []string{"git", "echo"}, dir: "docs"}
	for script, ok := range map[string]bool{
		"git x && echo y": true, "timeout 5 git x": true, "bash -c 'git x'": true, "echo x > docs/a": true, "echo x 2>&1": true,
		"git x; rm y": false, "git $(rm y)": false, "bash -c 'rm y'": false, "timeout 5 rm y": false, "echo x > a": false, "git fetch --upload-pack=x .": false, "git -C a fetch --upload-pack x .": false, "git fetch ext::sh": false, "git submodule foreach x": false, "git fetch origin": true, "$X": false, "eval rm": false, "git() { :; }": false,
	} {
		if err := ref.check(script, 0); (err == nil) != ok {
			t.Errorf("%q: %v", script, err)
		}
	}
}
