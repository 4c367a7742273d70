package tooltest_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"reasonix/core/tool"
	"reasonix/core/tool/tooltest"
)

// size is the smallest tool that keeps every rule.
type size struct{ env tool.Env }

const schema = `{"properties":{"path":{"description":"file","type":"string"}},"required":["path"],"type":"object"}`

func (size) Name() string                           { return "size" }
func (size) Description() string                    { return "Tell the size of a file." }
func (size) Schema() json.RawMessage                { return json.RawMessage(schema) }
func (size) ReadOnly() bool                         { return true }
func (s size) Bind(env tool.Env) (tool.Tool, error) { s.env = env; return s, nil }
func (size) Subject(args json.RawMessage) tool.Subject {
	return tool.Subject{Title: "Size", Kind: "read"}
}

func (s size) Execute(ctx context.Context, args json.RawMessage) (string, error) {
	if s.env.Files == nil {
		return "", tool.ErrUnbound
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var in struct{ Path string }
	if err := tool.Decode(args, json.RawMessage(schema), &in); err != nil {
		return "", err
	}
	abs, err := s.env.Files.ReadPath(in.Path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", err
	}
	return info.Mode().String(), nil
}

func TestASmallToolConforms(t *testing.T) {
	tooltest.Run(t, size{}, tooltest.Args(`{"path":"f"}`), tooltest.Setup(func(t testing.TB, dir string) {
		if err := os.WriteFile(dir+"/f", []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}))
}

func TestTreeSeesEveryChange(t *testing.T) {
	dir := t.TempDir()
	last := tooltest.Tree(t, dir)
	for name, do := range map[string]func() error{
		"a new file":  func() error { return os.WriteFile(dir+"/a", []byte("1"), 0o600) },
		"a directory": func() error { return os.Mkdir(dir+"/d", 0o700) },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		now := tooltest.Tree(t, dir)
		if now == last {
			t.Errorf("%s is not seen", name)
		}
		last = now
	}
}
