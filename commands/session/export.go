package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"reasonix/commands/cmdutil"
	"reasonix/core/session"
)

func newExport(s *shelf) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as Markdown, HTML or JSON lines",
		Long: `Write a session to stdout or a file: what was said and done, without the system prompt and without what
a rewind took back.

html is one file that fetches nothing and shows its pictures. jsonl is the journal, with all that
was rewound and without damaged lines.
Text of models, tools and files is shown as text: nothing in it becomes markup of the page. A file of
-o is replaced in one step and is for its owner alone.`,
		Example: `  reasonix session export 20260102-150405 > talk.md
  reasonix session export --format html -o talk.html fix the parser
  reasonix session export --format jsonl 20260102-150405 | jq .type`,
	}
	format := cmdutil.EnumFlag(cmd, "format", "md", "what to write", "md", "html", "jsonl")
	file := cmd.Flags().StringP("output", "o", "", "write to this file")
	return s.aboutOne(cmd, func(ctx context.Context, f found) (err error) {
		e := exporter{ctx: ctx, found: f, format: *format}
		if *file == "" || *file == "-" {
			err = e.write(s.app.Out)
		} else {
			err = e.writeFile(s.path(*file))
		}
		if err != nil {
			return err
		}
		if e.skipped > 0 {
			fmt.Fprintf(s.app.Err, "warning: %s could not be read and is left out: reasonix session check %s\n", cmdutil.Count(e.skipped, "line"), f.id)
		}
		return nil
	})
}

func (s *shelf) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.app.WorkDir, name)
}

// exporter writes one session in one format.
type exporter struct {
	ctx context.Context
	found
	format  string
	skipped int
}

// writeFile writes beside path and moves it there when it is whole.
func (e *exporter) writeFile(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*") // 0600
	if err != nil {
		return fmt.Errorf("export session %s: %w", e.id, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := e.write(f); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("export session %s: %w", e.id, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("export session %s: %w", e.id, err)
	}
	return nil
}

func (e *exporter) write(to io.Writer) error {
	out := bufio.NewWriterSize(to, 64<<10)
	var err error
	if e.format == "jsonl" {
		e.skipped, err = e.store.Export(e.ctx, e.id, out)
	} else {
		err = e.transcript(out)
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// page is a format a transcript is written in, block by block.
type page interface {
	begin(in session.Info)
	block(b block)
	end()
}

func (e *exporter) transcript(out *bufio.Writer) error {
	in, err := e.store.Info(e.ctx, e.id)
	if err != nil {
		return err
	}
	var p page = &markdown{out: out}
	if e.format == "html" {
		p = &html{out: out, load: func(hash string) ([]byte, error) { return e.store.Load(e.ctx, e.id, hash) }}
	}
	p.begin(in)
	t := teller{titles: map[string]string{}}
	if t.left, err = leftOf(e.ctx, e.store, e.id); err != nil {
		return err
	}
	for env, err := range e.store.Read(e.ctx, e.id, 0) {
		if d, ok := skipped(err); ok {
			e.skipped++
			p.block(block{kind: noteBlock, head: "damaged", text: fmt.Sprintf("line %d could not be read: %s", d.Line, d.Reason)})
			continue
		}
		if err != nil {
			return err
		}
		for _, b := range t.tell(env) {
			p.block(b)
		}
	}
	p.end()
	return nil
}
