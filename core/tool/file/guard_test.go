package file_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestED13ChangedSinceRead(t *testing.T) {
	b := open(t)
	b.put("f", "a\nb\n")
	b.read("f")
	b.put("f", "a\nuser\n")
	b.refused("write_file", args{"path": "f", "content": "x\n"}, "changed on disk", "-b", "+user", "read_file")
	b.refused("edit_file", args{"path": "f", "old_string": "a", "new_string": "x"}, "changed on disk", "+user")
	b.read("f")
	b.edit("f", "user", "mine")
	b.edit("f", "mine", "mine again")
	b.ok("write_file", args{"path": "f", "content": "whole\n"})
	b.ok("write_file", args{"path": "f", "content": "whole 2\n"})
	b.holds("f", "whole 2\n")

	t.Run("after a resume", func(t *testing.T) {
		seen := b.env.Files.Snapshot()
		again := openIn(t, b.dir)
		again.env.Files.Restore(seen)
		again.ok("write_file", args{"path": "f", "content": "resumed\n"})
		again.put("f", "the user's\n")
		again.refused("write_file", args{"path": "f", "content": "x\n"}, "changed on disk")

		third := openIn(t, b.dir)
		third.env.Files.Restore(seen)
		third.refused("edit_file", args{"path": "f", "old_string": "the", "new_string": "x"}, "changed on disk", "the user's")
	})
	t.Run("became binary, became a directory", func(t *testing.T) {
		b.read("f")
		b.put("f", "\x00\x01")
		b.refused("edit_file", args{"path": "f", "old_string": "a", "new_string": "x"}, "binary file now")
		if err := os.Remove(filepath.Join(b.dir, "f")); err != nil {
			t.Fatal(err)
		}
		b.put("f/g", "")
		b.refused("write_file", args{"path": "f", "content": "x"}, "is a directory")
	})
}

func TestWholeFileWriteNeedsAWholeRead(t *testing.T) {
	b := open(t)
	b.put("f", "1\n2\n3\n4\n")
	write := args{"path": "f", "content": "x\n"}
	b.refused("write_file", write, "have not read it", "edit_file")
	b.ok("read_file", args{"path": "f", "limit": 2})
	b.refused("write_file", write, "only a part")
	b.edit("f", "1\n", "one\n") // an edit does not show the rest
	b.refused("write_file", write, "only a part")
	b.ok("read_file", args{"path": "f", "offset": 3, "limit": 9})
	b.ok("read_file", args{"path": "f", "limit": 3})
	b.ok("write_file", write)
	b.holds("f", "x\n")

	b.put("empty", "")
	b.ok("write_file", args{"path": "empty", "content": "x"}) // nothing to lose
	b.ok("write_file", args{"path": "empty", "content": "y"}) // its own
	b.put("bin", "\x00\x01")
	b.refused("write_file", args{"path": "bin", "content": "x"}, "have not read it")
}
