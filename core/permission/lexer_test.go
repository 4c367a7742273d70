package permission_test

import "testing"

// A comment ends with its line: a backslash does not continue it, and no other
// oddity of a lexer hides a command.
func TestACommentHidesNoCommand(t *testing.T) {
	for _, script := range []string{
		"ls #\\\nrm -rf sub\n", "echo a #b\\\nrm d", ": #\\\nrm d", "echo $(ls #\\\nrm d\n)", "echo `ls #\\\nrm d\n`", "go test #\\\nrm d", "#\\\nrm d", "ls;#\\\nrm d", "ls &#\\\nrm d", "cat <(ls #\\\nrm d\n)",
		"if ls; then #\\\nrm d\nfi", "{ #\\\nrm d\n}", "( #\\\nrm d\n)", "(#\\\nrm d\n)", "case a in #\\\na) rm d;; esac", "a=( #\\\n$(rm d) )", "bash -c 'ls #\\\nrm d'", "eval 'ls #\\\nrm d'", "bash <<'E'\nls #\\\nrm d\nE", "[[ -n a #\\\n]] && rm d",
		"ls \\\n#\\\nrm d", "for i in a #\\\ndo rm d; done", "ls | #\\\nrm d", "ls && #\\\nrm d", "f() #\\\n{ rm d; }; f",
		"ls \r# ; rm d", "ls #\\\r\nrm d", "ls #\\\\\r\nrm d", "ls \\\r\nrm d", "[[ (#'\nx ) ]]; rm d #'\n) ]]", "ls `#'` ; rm d #'`", "ls $(#'\n) ; rm d #'\n)", "ls \\\n# ; rm d",
	} {
		for _, text := range []string{"allow Bash(ls:*); allow Bash(echo:*); allow Bash(cat:*); allow Bash(go test:*); allow Bash(bash:*); deny Bash(rm:*)", "allow Bash; deny Bash(rm:*)"} {
			p := policy(t, text)
			p.ReadOnlyCommands = true
			if got := p.Explain("bash", false, bash(script)); got.Decision == allow || got.Decision == ask && !got.Fresh {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
		p := policy(t, "allow Bash(go test:*)")
		p.ReadOnlyCommands = true
		if got := p.Decide("bash", false, bash(script)); got == allow {
			t.Errorf("without a deny rule %q: %v", script, got)
		}
	}
}

func TestAnOrdinaryCommentIsRead(t *testing.T) {
	for _, script := range []string{
		"# what's there?\nls", "ls # it isn't much", "ls; # rest", "ls a#b '# x' \"a # b\" \\# c\\ #d ${#a} ${a#b} $#", "echo $((16#ff))", "cat <<E\n # x \\\n\nE", "ls \\\n  -l # all\nls", "echo $(ls # all\n)",
		"{\n# a\nls\n}", "echo \"$(echo '# x')\"", "echo '#\\\n'", "echo \"#\\\n\"",
	} {
		p := policy(t, "allow Bash(none:*); deny Bash(rm:*)")
		p.ReadOnlyCommands = true
		if got := p.Explain("bash", false, bash(script)); got.Fresh {
			t.Errorf("%q: %v %s", script, got.Decision, got.Why)
		}
	}
}

// A shell opens connections by the names of files.
func TestAConnectionIsNoFile(t *testing.T) {
	for _, script := range []string{
		"cat < /dev/tcp/127.0.0.1/80", "cat < /dev/udp/127.0.0.1/53", "exec 3<>/dev/tcp/h/80", "echo x > /dev/tcp/h/80", "cat < \"/dev/tcp/$H/80\"", "cat 0</dev/t'cp'/h/1", "F=/dev/tcp/h/80; cat < $F", "cat <> /dev/tcp/h/80", "echo x >& /dev/tcp/h/80",
	} {
		for _, text := range []string{"mode ask", "allow Bash(cat:*); allow Bash(echo:*); allow Bash(exec:*)", "allow Bash(cat:*); allow Read; allow Edit"} {
			p := policy(t, text)
			p.ReadOnlyCommands = true
			if got := p.Explain("bash", false, bash(script)); got.Decision == allow {
				t.Errorf("[%s] %q: %v", text, script, got.Decision)
			}
		}
	}
}
