package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reasonix/core/durable"
)

// An envLine is one NAME=value of a .env file.
type envLine struct {
	name, value string
	line        int
}

// parseEnv reads a .env file: NAME=value a line, with or without export and
// quotes, # comments, a byte order mark, either line ending. A line that is none
// of these is reported and left out; values never span lines. A message holds no
// part of the line, which may be a key.
func parseEnv(file string, text []byte) ([]envLine, []Warning) {
	var lines []envLine
	var bad []Warning
	text = bytes.TrimPrefix(text, bom)
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		line := strings.TrimSpace(string(raw))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, err := parseEnvLine(line)
		if err != nil {
			bad = append(bad, Warning{Code: WarnEnvFile, File: file, Line: number, Column: 1, Text: "line left out: " + err.Error()})
			continue
		}
		lines = append(lines, envLine{name, value, number})
	}
	return lines, bad
}

func parseEnvLine(line string) (name, value string, err error) {
	if rest, ok := strings.CutPrefix(line, "export"); ok && strings.TrimLeft(rest, " \t") != rest {
		line = strings.TrimSpace(rest)
	}
	name, value, ok := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if !ok || !variableName(name) {
		return "", "", errors.New("want NAME=value")
	}
	value = strings.TrimSpace(value)
	if value == "" || value[0] != '"' && value[0] != '\'' {
		if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		if strings.HasPrefix(value, "#") {
			value = ""
		}
		return name, value, nil
	}
	return quotedValue(name, value)
}

// quotedValue reads 'text' as it stands and "text" with \n \r \t \" \\ \$.
func quotedValue(name, value string) (string, string, error) {
	mark := value[0]
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == mark:
			if rest := strings.TrimSpace(value[i+1:]); rest != "" && rest[0] != '#' {
				return "", "", fmt.Errorf("%s: want nothing but a comment after the closing quote", name)
			}
			return name, b.String(), nil
		case value[i] == '\\' && mark == '"' && i+1 < len(value):
			i++
			b.WriteString(unescape(value[i]))
		default:
			b.WriteByte(value[i])
		}
	}
	return "", "", fmt.Errorf("%s: want a closing quote on the same line", name)
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '"', '\\', '$':
		return string(c)
	default:
		return `\` + string(c)
	}
}

// HasKey reports whether <home>/.env has a line for name, also an empty one.
func HasKey(home, name string) (bool, error) {
	path := filepath.Join(home, EnvFileName)
	text, err := readText(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for key %s: %w", name, err)
	}
	return !bytes.Equal(text, setEnvLine(text, name, "")), nil
}

// StoreKey writes name=value into <home>/.env and leaves every other line as it
// is; the directory is made when it is missing, the file is 0600. An empty value
// removes the line. A value of several lines is refused.
func StoreKey(home, name, value string) error {
	if home == "" {
		return errors.New("store key: no home directory")
	}
	if !variableName(name) {
		return fmt.Errorf("store key %q: want a variable's name: letters, digits and _", name)
	}
	value = strings.TrimSpace(value)
	if strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0 {
		return fmt.Errorf("store key %s: want one line without control characters", name)
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("store key %s: %w", name, err)
	}
	path := filepath.Join(home, EnvFileName)
	old, err := readText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store key %s: %w", name, err)
	}
	if err := durable.WriteFile(path, setEnvLine(old, name, value), 0o600); err != nil {
		return fmt.Errorf("store key %s: %w", name, err)
	}
	return nil
}

// setEnvLine replaces the last line that sets name, drops the earlier ones, and
// appends when there is none.
func setEnvLine(text []byte, name, value string) []byte {
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	fresh := ""
	if value != "" {
		fresh = name + "=" + envQuote(value) + newline
	}
	var mark []byte
	if bytes.HasPrefix(text, bom) {
		mark, text = text[:len(bom)], text[len(bom):]
	}
	var lines []string
	at := -1
	for raw := range bytes.Lines(text) {
		line := strings.TrimSpace(string(raw))
		if n, _, err := parseEnvLine(line); err == nil && n == name && !strings.HasPrefix(line, "#") {
			at = len(lines)
			continue
		}
		lines = append(lines, string(raw))
	}
	if at < 0 {
		at = len(lines)
	}
	if at > 0 && fresh != "" && !strings.HasSuffix(lines[at-1], "\n") {
		lines[at-1] += newline
	}
	out := string(mark) + strings.Join(lines[:at], "") + fresh + strings.Join(lines[at:], "")
	return []byte(out)
}

// envQuote quotes what would be read differently without.
func envQuote(v string) string {
	if !strings.ContainsAny(v, " \t#\"'\\$`") {
		return v
	}
	if !strings.Contains(v, "'") {
		return "'" + v + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(v) + `"`
}
