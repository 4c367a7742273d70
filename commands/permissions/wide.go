package permissions

import (
	"encoding/json"
	"slices"
	"strings"

	"reasonix/core/permission"
)

// verbed are programs whose first argument says what they do, so that a rule for
// all of them allows what is harmless and what is not.
const verbed = `git hg svn jj gh glab npm pnpm yarn bun cargo go pip pip3 pipx uv poetry conda gem bundle composer
	mvn gradle dotnet brew apt apt-get dnf yum pacman apk zypper snap flatpak systemctl service launchctl
	docker podman kubectl helm terraform tofu ansible aws gcloud az fly vercel netlify heroku wrangler nix`

// wide finds an allow rule that lets far more through than a rule should.
func (l *linter) wide(i int) (finding, bool) {
	r := l.rules[i]
	if r.decision != permission.Allow || !strings.EqualFold(r.Tool, shellTool) || r.Literal {
		return finding{}, false
	}
	if r.Spec == "" {
		return finding{Kind: findWide, Message: "it allows every command", Hint: "name the commands, such as Bash(go test:*)"}, true
	}
	words, prefix := strings.CutSuffix(r.Spec, ":*")
	fields := strings.Fields(words)
	switch {
	case len(fields) == 0 || strings.ContainsAny(fields[0], "*?"):
		return finding{Kind: findWide, Message: "it allows programs of any name", Hint: "begin with the name of a program"}, true
	case !prefix && !strings.Contains(words, "*"):
		return finding{}, false
	case len(fields) == 1 && slices.Contains(strings.Fields(verbed), fields[0]):
		return finding{Kind: findWide, Message: "it allows whatever " + fields[0] + " can do", Hint: "name a verb, such as Bash(" + fields[0] + " " + verbOf(fields[0]) + ":*)"}, true
	case runsAnything(fields):
		return finding{Kind: findWide, Message: fields[0] + " runs whatever code it is given", Hint: "name the whole command"}, true
	}
	return finding{}, false
}

// runsAnything reports whether reasonix itself would not offer a prefix of the
// program, because it is an interpreter or starts other programs.
func runsAnything(fields []string) bool {
	args, _ := json.Marshal(map[string]string{"command": fields[0] + " " + anyWord + " " + otherWord})
	return permission.SuggestPrefix(shellTool, args) == ""
}

func verbOf(program string) string {
	switch program {
	case "git", "hg", "svn", "jj":
		return "status"
	case "go", "cargo", "npm", "pnpm", "yarn", "bun":
		return "test"
	}
	return "VERB"
}
