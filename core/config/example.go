package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Example is reasonix.example.toml, generated from the key table: every key with
// its default and a comment. Keys without effect unless they are set, and what
// is only an example, are commented out. It is what setup writes.
func Example() []byte {
	var b bytes.Buffer
	b.WriteString(exampleHead)
	table := ""
	for _, k := range Keys() {
		parts := strings.Split(k.Path, ".")
		section := exampleTable(parts)
		if section != table {
			writeHeader(&b, section)
			table = section
		}
		writeExample(&b, k, parts, section)
	}
	return b.Bytes()
}

const exampleHead = `# Configuration of reasonix: every key with its default. Lines that start with a
# single # and a key are examples: remove the # to set them.
#
# This file is <home>/config.toml (yours) or reasonix.toml in a project. A flag
# beats a REASONIX_* variable, which beats the project's file, which beats yours.
# What a project's file widens is off until you grant it: reasonix permissions trust.
# reasonix config explain KEY says more about one key, and where its value is from.

`

// exampleTable is the table of the example file a key stands in.
func exampleTable(parts []string) string {
	switch {
	case len(parts) == 1:
		return ""
	case slices.Contains(named, parts[0]):
		return "[[" + parts[0] + "]]"
	default:
		return "[" + strings.Join(parts[:len(parts)-1], ".") + "]"
	}
}

// exampleKey is the key as it is written below its table's header.
func exampleKey(parts []string, section, model string) string {
	name := parts[len(parts)-1]
	if strings.HasPrefix(section, "[[") {
		name = strings.Join(parts[2:], ".")
	}
	name = strings.ReplaceAll(name, "<model>", quote(model))
	return strings.ReplaceAll(name, "<tool>", `"delete_all"`)
}

func writeHeader(b *bytes.Buffer, section string) {
	switch section {
	case "[[providers]]":
		b.WriteString("\n# An endpoint with its models; one block each. Defining one in your own file\n# replaces the built-in provider deepseek, which is this one.\n[[providers]]\n")
		return
	case "[[plugins]]":
		b.WriteString("\n# An MCP server; one block each.\n# [[plugins]]\n")
		return
	case "[[hooks]]":
		b.WriteString("\n# A command that runs by itself at an event; one block each.\n# [[hooks]]\n")
		return
	}
	b.WriteString("\n" + section + "\n")
}

func writeExample(b *bytes.Buffer, k Key, parts []string, section string) {
	fmt.Fprintf(b, "# %s\n", comment(k))
	models := []any{"deepseek-v4-flash"}
	if strings.Contains(k.Path, ".prices.") {
		models = preset()["models"].([]any)
	}
	for _, model := range models {
		value, live := exampleValue(k, model.(string))
		name := exampleKey(parts, section, model.(string))
		if !live {
			name = "# " + name
		}
		fmt.Fprintf(b, "%s = %s\n", name, value)
	}
}

// comment is the key's doc with what else there is to know.
func comment(k Key) string {
	text := k.Doc
	if len(k.Enum) > 0 {
		text += " One of: " + strings.Join(k.Enum, ", ") + "."
	}
	return strings.Join(append([]string{text}, k.Notes()...), " ")
}

// Notes are sentences on where a key counts and whether it does yet.
func (k Key) Notes() []string {
	var out []string
	switch {
	case k.InProject != "":
		out = append(out, k.InProject)
	case k.UserOnly:
		out = append(out, "Not in a project file.")
	case !k.Widens:
	case !strings.Contains(k.Path, "<"):
		out = append(out, "What widens in a project file is off until it is granted.")
	case strings.HasSuffix(k.Path, ".<name>.name"):
		out = append(out, "A project's block is off until it is granted.")
	}
	if k.Accumulate {
		out = append(out, "Layers add up.")
	}
	if k.Retired {
		out = append(out, "Retired: without effect.")
	}
	if k.Later {
		out = append(out, "Checked now, takes effect in a later version.")
	}
	return out
}

// exampleValue is what the example file shows for k, and whether it is set there
// or commented out.
func exampleValue(k Key, model string) (text string, live bool) {
	if rest, ok := strings.CutPrefix(k.Path, "providers.<name>."); ok {
		if v, ok := preset()[rest]; ok {
			return render(v), true
		}
		if field, ok := strings.CutPrefix(rest, "prices.<model>."); ok {
			v, _ := at(preset(), []string{"prices", model, field})
			return render(v), true
		}
		return exampleOr(k), false
	}
	if strings.HasPrefix(k.Path, "plugins.") || strings.HasPrefix(k.Path, "hooks.") || k.Retired || k.Default == nil || k.Default == "" {
		return exampleOr(k), false
	}
	return render(k.Default), true
}

func exampleOr(k Key) string {
	switch {
	case k.Example != "":
		return k.Example
	case k.Default != nil && k.Default != "":
		return render(k.Default)
	case len(k.Enum) > 0:
		return render(k.Enum[0])
	default:
		return map[Kind]string{KindString: `""`, KindBool: "false", KindInt: "0", KindFloat: "0.0", KindStrings: "[]"}[k.Kind]
	}
}
