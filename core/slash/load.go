package slash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"reasonix/core/durable"
	"reasonix/core/internal/frontmatter"
)

// Limits of custom commands.
const (
	MaxFile    = 256 << 10 // bytes of one file
	maxDepth   = 8         // directories below a Dir
	maxEntries = 5000      // of one Dir, with all below
	maxHelp    = 200       // characters of a description or a hint
)

// Dir is a directory of custom commands. The one at Path need not be there.
type Dir struct {
	Path   string // absolute
	Source string // of its commands: SourceProject, SourceUser
	// Within is a directory that Path must not lead out of, through a link say: the
	// workspace for what a repository brought. Empty: Path may be a link to anywhere.
	Within string
}

// Problem is a file that Load skipped.
type Problem struct {
	Path string // with forward slashes
	Text string // why
}

func (p Problem) String() string { return p.Path + " is skipped: " + p.Text }

// Load reads the commands of dirs, in their order and by name. review.md is /review
// and git/commit.md is /git:commit. A file that is no command is a Problem and never
// keeps the others from being read. Files that do not end in .md, and what begins
// with a dot, are passed over. Nothing is followed out of a Dir.
func Load(dirs ...Dir) ([]Command, []Problem) {
	var l loader
	for _, d := range dirs {
		l.dir(d)
	}
	return l.commands, l.problems
}

type loader struct {
	commands []Command
	problems []Problem

	d    Dir
	root *os.Root
	seen int // entries of d
}

func (l *loader) dir(d Dir) {
	root, err := openDir(d)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	l.d, l.root, l.seen = d, root, 0
	if err != nil {
		l.skip("", "it cannot be read: "+cause(err))
		return
	}
	defer root.Close()
	l.walk(".", 0)
}

func openDir(d Dir) (*os.Root, error) {
	if d.Within == "" {
		return os.OpenRoot(d.Path)
	}
	rel, err := filepath.Rel(d.Within, d.Path)
	if err != nil {
		return nil, err
	}
	within, err := os.OpenRoot(d.Within)
	if err != nil {
		return nil, err
	}
	defer within.Close()
	return within.OpenRoot(rel)
}

// walk reads what is in rel, a slash-separated path below the directory.
func (l *loader) walk(rel string, depth int) {
	entries, err := fs.ReadDir(l.root.FS(), rel)
	if err != nil {
		l.skip(rel, "it cannot be read: "+cause(err))
		return
	}
	for _, e := range entries {
		if l.seen++; l.seen > maxEntries {
			l.skip(rel, fmt.Sprintf("the rest of it: only %d files and directories are looked at", maxEntries))
			return
		}
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		l.entry(path.Join(rel, e.Name()), e, depth)
	}
}

func (l *loader) entry(rel string, e fs.DirEntry, depth int) {
	isCommand := strings.EqualFold(path.Ext(rel), ".md")
	switch {
	case e.IsDir() && isCommand:
		l.skip(rel, "it is a directory")
	case e.IsDir() && depth >= maxDepth:
		l.skip(rel, fmt.Sprintf("it is more than %d directories deep", maxDepth))
	case e.IsDir():
		l.walk(rel, depth+1)
	case isCommand:
		l.file(rel)
	case e.Type()&fs.ModeSymlink != 0:
		if info, err := l.root.Stat(filepath.FromSlash(rel)); err == nil && info.IsDir() {
			l.skip(rel, "it is a link to a directory")
		}
	}
}

func (l *loader) file(rel string) {
	name, ok := nameOf(rel)
	if !ok {
		l.skip(rel, "its name is no name of a command: a-z, 0-9, _ and - only, a letter first")
		return
	}
	text, err := l.read(rel)
	if err != nil {
		l.skip(rel, cause(err))
		return
	}
	c, err := parse(text)
	if err != nil {
		l.skip(rel, err.Error())
		return
	}
	c.Name, c.Source = name, l.d.Source
	l.commands = append(l.commands, c)
}

func (l *loader) read(rel string) ([]byte, error) {
	f, err := durable.OpenIn(l.root, filepath.FromSlash(rel))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if len(text) > MaxFile {
		return nil, fmt.Errorf("it is larger than %d KB", MaxFile>>10)
	}
	return text, err
}

func (l *loader) skip(rel, why string) {
	l.problems = append(l.problems, Problem{Path: path.Join(filepath.ToSlash(l.d.Path), rel), Text: why})
}

// nameOf is the name of the command in the file rel.
func nameOf(rel string) (string, bool) {
	parts := strings.Split(strings.TrimSuffix(rel, path.Ext(rel)), "/")
	for _, part := range parts {
		if part == "" || part[0] == '-' || strings.Contains(part, ":") {
			return "", false
		}
	}
	name := strings.Join(parts, ":")
	return name, shaped(name) && len(name) <= MaxName
}

// parse makes a command of the text of a file.
func parse(text []byte) (Command, error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return Command{}, errors.New("it is not UTF-8 text")
	}
	doc, err := frontmatter.Parse(text)
	if err != nil {
		return Command{}, err
	}
	body := strings.TrimSpace(doc.Body)
	if body == "" {
		return Command{}, errors.New("there is no text in it for the model")
	}
	help, _ := doc.Get("description")
	if help = oneLine(help); help == "" {
		help = oneLine(firstLine(body))
	}
	hint, _ := doc.Get("argument-hint")
	return Command{Hint: oneLine(hint), Help: help, Kind: KindText, Text: template(body)}, nil
}

// template is the closure of a command whose text is body. Arguments that it has no
// place for stand behind it: what a person typed is not lost.
func template(body string) func(context.Context, string) (string, error) {
	without := body
	if !hasPlace(body) {
		body += "\n\nArguments: $ARGUMENTS"
	}
	return func(_ context.Context, args string) (string, error) {
		if args == "" {
			return Expand(without, "")
		}
		return Expand(body, args)
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimLeft(line, "# ")
}

// oneLine makes text fit to be shown in a list, whatever is in it.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, text)
	return clip(strings.Join(strings.Fields(text), " "), maxHelp)
}

// clip cuts text to n characters.
func clip(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "..."
	}
	return text
}

// cause is err without the path, which is told beside it.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
