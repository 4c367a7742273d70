package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Reference is docs/config.md, generated from the key table.
func Reference() []byte {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	section := "."
	for _, k := range Keys() {
		if s := referenceSection(k); s != section {
			section = s
			fmt.Fprintf(&b, "\n## %s\n\n| key | type | default | meaning |\n| --- | --- | --- | --- |\n", section)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Path, k.Kind, referenceDefault(k), referenceMeaning(k))
	}
	return b.Bytes()
}

const referenceHead = `# Configuration

<!-- Generated from the key table in core/config; do not edit. -->

reasonix reads two files, both optional:

- ` + "`<home>/config.toml`" + ` is yours. ` + "`<home>` is `$REASONIX_HOME`, else `~/.reasonix`, on Windows `%AppData%\\reasonix`" + `.
- ` + "`reasonix.toml`" + ` in the working directory is the project's. A link that leads out of there is ignored, with a warning.

A flag beats a ` + "`REASONIX_*`" + ` variable, which beats the project's file, which beats yours, which beats the
defaults. A variable's name is the key's path in capitals: ` + "`REASONIX_TOOLS_BASH_TIMEOUT_SECONDS`" + `; a list is a
TOML array or names with commas between them. Lists marked *adds up* are joined over all layers instead of
replaced. ` + "`[[providers]]`, `[[plugins]]` and `[[hooks]]`" + ` merge by name. When no layer sets ` + "`language`, `REASONIX_LANG` and then `LANG`" + ` do.

An unknown key is a warning, with the nearest known one; ` + "`reasonix config check`" + ` makes it an error. A wrong type
or a broken file is an error with its line and column, exit code 3, and nothing of it counts.

Keys of providers are in ` + "`<home>/.env`" + ` alone: ` + "`reasonix setup key NAME`" + ` stores one. Variables exported in the shell
are not read unless your own file says ` + "`[secrets] from_env = true`" + `.

Whoever wrote a repository wrote its ` + "`reasonix.toml` and `.mcp.json`" + `, too. What narrows a run always applies: ` + "`permissions.deny`, `permissions.ask`, `sandbox.forbid_read`" + `,
a stricter ` + "`permissions.mode`" + `, fewer tools. What would let a run do or reach more is a *part* that is off until you
grant it: each rule of ` + "`permissions.allow`" + `, each directory outside the project, each server, hook and provider that speaks to
another machine or would use a key of yours, another system prompt or planner, and the other keys marked below. Until then your value
stays in force. A key without a mark, and in no such block, counts as the project says: it sends nothing elsewhere, starts nothing, and allows nothing. One warning names the parts that are off; ` + "`reasonix permissions trust`" + `
shows each with its place and its effect and asks. A grant is kept in ` + "`<home>/grants.json`" + `, for that directory and for what the
part says: a comment or another spelling changes nothing, another value is off again (of a server its limits may change, and the values of
its headers but not which ` + "`${VAR}`" + ` they name). ` + "`reasonix run --trust`" + ` grants everything for one run.
Flags and ` + "`REASONIX_*`" + ` variables are your own: for them every key counts.

Hooks are also read from ` + "`<home>/settings.json`, `.reasonix/settings.json` and `.claude/settings.json`" + ` ([hooks.md](hooks.md)), servers also
from ` + "`.mcp.json`" + ` ([mcp.md](mcp.md)).

Paths may start with ` + "`~/`" + ` and hold ` + "`$VAR`, `${VAR}` and `${VAR:-default}`" + `. A relative path starts at the working
directory; in your own file at ` + "`<home>`, except under `[sandbox]`" + `. ` + "`sandbox.forbid_read`" + ` takes no relative path. A variable
that is not set is an error. Write Windows paths in single quotes.

` + "`reasonix config show --origin`" + ` prints what counts and where it is from, ` + "`reasonix config explain KEY`" + ` one key,
` + "`reasonix config set KEY VALUE`" + ` changes one and keeps the rest of the file as it is. Names with a dot are quoted:
` + "`providers.deepseek.model_overrides.\"deepseek-v4.5\".context_window`" + `.
`

func referenceSection(k Key) string {
	parts := strings.Split(k.Path, ".")
	switch {
	case len(parts) == 1:
		return "Top level"
	case slices.Contains(named, parts[0]):
		return "`[[" + parts[0] + "]]`"
	default:
		return "`[" + strings.Join(parts[:len(parts)-1], ".") + "]`"
	}
}

func referenceDefault(k Key) string {
	if k.Default == nil || k.Default == "" {
		return ""
	}
	return "`" + render(k.Default) + "`"
}

func referenceMeaning(k Key) string {
	text := k.Doc
	if len(k.Enum) > 0 {
		text += " One of `" + strings.Join(k.Enum, "`, `") + "`."
	}
	for _, note := range k.Notes() {
		text += " *" + note + "*"
	}
	return strings.NewReplacer("|", `\|`, "<home>", "`<home>`", "<name>", "`<name>`", "<tool>", "`<tool>`", "__", `\_\_`).Replace(text)
}
