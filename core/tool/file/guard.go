package file

import (
	"context"
	"fmt"
	"strings"

	"reasonix/core/diff"
	"reasonix/core/internal/textenc"
	"reasonix/core/workspace"
)

// maxShown bounds, in bytes, what a refusal shows of a file.
const maxShown = 4 << 10

// current refuses when f is not the content the model saw last. A file it never
// saw passes: what to do then is the caller's decision.
func (s session) current(ctx context.Context, f *workspace.File) error {
	if hash, _, ok := s.files.LastSeen(f.Path); ok && hash != f.Hash {
		return s.changed(ctx, f.Path)
	}
	return nil
}

// changed says what is different in the file at abs since it was read and how to
// go on.
func (s session) changed(ctx context.Context, abs string) error {
	shown := s.files.Show(abs)
	const goOn = "Read it again with read_file, then make your change to what it holds now."
	f, err := s.files.ReadFile(ctx, abs)
	if err != nil {
		return &refusal{fmt.Sprintf("%s changed on disk since you read it and cannot be read now: %v. Nothing was written.", shown, err), workspace.ErrChanged}
	}
	enc := textenc.Detect(f.Data)
	now := enc.Decode(f.Data[:min(len(f.Data), workspace.MaxKept)])
	what := "It holds now:\n" + clip(now)
	if old, ok := s.files.Recall(abs); ok && len(f.Data) <= workspace.MaxKept {
		what = "What changed:\n" + clip(diff.Unified("as read", "now", textenc.Detect(old).Decode(old), now))
	}
	if enc == textenc.Binary {
		what = "It is a binary file now."
	}
	return &refusal{fmt.Sprintf("%s changed on disk since you read it. Nothing was written. %s\n%s",
		shown, goOn, strings.TrimSuffix(what, "\n")), workspace.ErrChanged}
}

// clip shortens s to maxShown bytes, at a line end if there is one.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := s[:maxShown]
	if i := strings.LastIndexByte(cut, '\n'); i > 0 {
		cut = cut[:i+1]
	}
	return strings.ToValidUTF8(cut, "") + fmt.Sprintf("\n... %d more bytes", len(s)-len(cut))
}
