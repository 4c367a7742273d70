// Command gendocs writes what is generated in this repository: completions/,
// docs/cli/, docs/man/, docs/events.md, docs/config.md, docs/tools.md, the
// examples of docs/permissions.md and reasonix.example.toml. It takes everything from the code that is documented (the
// command tree, the event table, the configuration keys, the registered tools), so
// that a page cannot drift from it; its test fails when a file is stale. Run it
// from the repository's root: make generate.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"reasonix/commands"
	"reasonix/core/config"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// owned are the directories that hold generated files only; what else is found
// there is left over from a command that is gone.
var owned = []string{"completions", "docs/cli", "docs/man"}

// generate returns every generated file by its path from root.
func generate(root string) (map[string][]byte, error) {
	files := map[string][]byte{
		"docs/config.md":        config.Reference(),
		"reasonix.example.toml": config.Example(),
	}
	scripts, err := commands.Completions()
	if err != nil {
		return nil, err
	}
	for name, script := range scripts {
		files[path.Join("completions", name)] = script
	}
	for _, page := range commands.Pages() {
		files[path.Join("docs/cli", page.Name)] = []byte(page.Text)
	}
	for _, page := range commands.ManPages() {
		files[path.Join("docs/man", page.Name)] = []byte(page.Text)
	}
	if files["docs/tools.md"], err = tools(); err != nil {
		return nil, err
	}
	if files[permissionsPage], err = permissions(root); err != nil {
		return nil, err
	}
	files["docs/events.md"], err = events(root)
	return files, err
}

// write brings the files below root up to date.
func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	left, err := leftovers(root, files)
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			return err
		}
		fmt.Println("removed", name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !stale(root, name, files[name]) {
			continue
		}
		target := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, files[name], 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return nil
}

// stale reports whether the file on disk is not what it should be. A checkout
// with CRLF line ends is not stale.
func stale(root, name string, want []byte) bool {
	got, err := os.ReadFile(filepath.Join(root, name))
	return err != nil || !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want)
}

// leftovers lists files in the owned directories that nothing generates.
func leftovers(root string, files map[string][]byte) ([]string, error) {
	var left []string
	for _, dir := range owned {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); files[name] == nil {
				left = append(left, name)
			}
		}
	}
	return left, nil
}
