package durable

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TempPrefix begins the name of every file WriteCache has not finished.
const TempPrefix = ".tmp-"

// WriteCache replaces the file at path with data in one step, as WriteFile does for
// readers and kills, and faster: after a power loss the file may hold anything. It is
// for what can be made again and is checked when it is read. The mode is 0600.
func WriteCache(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), TempPrefix)
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, bare(err))
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replace %s: %w", path, bare(err)), os.Remove(f.Name()))
	}
	return nil
}
