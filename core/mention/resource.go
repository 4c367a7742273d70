package mention

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// maxWait is how long a server may take for one resource.
const maxWait = 30 * time.Second

// answer is what a server said.
type answer struct {
	text string
	err  error
}

// ask reads all resources of refs at once, by the name that is shown of them.
func (x *expansion) ask(ctx context.Context, refs []ref) map[string]answer {
	answers := map[string]answer{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, r := range refs {
		if r.server == "" {
			continue
		}
		all.Go(func() {
			ctx, stop := context.WithTimeoutCause(ctx, maxWait, fmt.Errorf("the server did not answer within %s", maxWait))
			defer stop()
			text, err := x.o.Resources.Read(ctx, r.server, r.uri)
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[r.shown] = answer{text, err}
		})
	}
	all.Wait()
	return answers
}

// resource adds the text of a resource.
func (x *expansion) resource(r ref, a answer) error {
	if a.err != nil {
		return a.err
	}
	text := strings.ToValidUTF8(a.text, "\uFFFD")
	shown := cutAt(text, min(MaxFile, x.room))
	if shown == "" && text != "" {
		return errFull
	}
	if len(shown) < len(text) {
		x.notice("%s was cut: only the first %s of %s are in the message", r.name(), size(int64(len(shown))), size(int64(len(text))))
		shown = strings.TrimSuffix(shown, "\n") + fmt.Sprintf("\n[cut: this is the first %s of %s]\n", size(int64(len(shown))), size(int64(len(text))))
	}
	b := block("resource", shown, attr{"ref", r.shown})
	x.room -= min(x.room, len(b))
	x.add(KindResource, r, b)
	return nil
}
