package providertest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"reasonix/core/message"
	"reasonix/core/provider"
	"reasonix/core/provider/providertest"
)

// mutantEnv names the mutant that a re-executed test binary runs the suite on.
const mutantEnv = "PROVIDERTEST_MUTANT"

// mutants are providers that break the contract in one way each, and what the
// suite must say about them.
var mutants = map[string]struct {
	stream func(ctx context.Context, in <-chan provider.Chunk, out chan<- provider.Chunk)
	encode func(plain, []byte, []message.Message) ([]byte, error)
	says   string
}{
	"ends twice": {
		stream: func(_ context.Context, in <-chan provider.Chunk, out chan<- provider.Chunk) {
			forward(in, out)
			out <- provider.Chunk{Type: provider.ChunkDone}
		},
		says: "2 Done or Error chunks",
	},
	"never says the end": {
		stream: func(_ context.Context, in <-chan provider.Chunk, out chan<- provider.Chunk) {
			for c := range in {
				if c.Type != provider.ChunkDone && c.Type != provider.ChunkError {
					out <- c
				}
			}
		},
		says: "0 Done or Error chunks",
	},
	"waits for its reader": {
		stream: func(_ context.Context, in <-chan provider.Chunk, out chan<- provider.Chunk) { forward(in, out) },
		says:   "leaked",
	},
	"takes a cut for the end": {
		stream: func(_ context.Context, in <-chan provider.Chunk, out chan<- provider.Chunk) {
			for c := range in {
				var f *provider.Failure
				if errors.As(c.Err, &f) && f.Kind == provider.KindCut {
					c = provider.Chunk{Type: provider.ChunkDone, Finish: provider.FinishStop}
				}
				out <- c
			}
		},
		says: "want a *provider.Failure",
	},
	"writes over what it wrote": {
		encode: func(p plain, dst []byte, batch []message.Message) ([]byte, error) {
			if len(dst) > 0 {
				dst[len(dst)-1] = ' '
			}
			return p.Encode(dst, batch)
		},
		says: "encoding changed what was there",
	},
	"forgets half the results": {
		encode: func(p plain, dst []byte, batch []message.Message) ([]byte, error) {
			if len(batch) > 2 {
				batch = batch[:2]
			}
			return p.Encode(dst, batch)
		},
		says: "must be followed by tool messages",
	},
}

func forward(in <-chan provider.Chunk, out chan<- provider.Chunk) {
	for c := range in {
		out <- c
	}
}

func TestConformanceFailsWhatBreaksTheContract(t *testing.T) {
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMutant$")
			cmd.Env = append(os.Environ(), mutantEnv+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), m.says) {
				t.Errorf("the suite ended with %v and did not say %q:\n%s", err, m.says, out)
			}
		})
	}
}

// TestMutant is what the test above runs; by itself it has nothing to do.
func TestMutant(t *testing.T) {
	name := os.Getenv(mutantEnv)
	if name == "" {
		return
	}
	providertest.Run(t, func(_ *testing.T, cfg provider.Config) provider.Provider {
		return mutant{plain: plain{cfg}, name: name}
	})
}

// mutant is plain with one fault.
type mutant struct {
	plain
	name string
}

func (m mutant) Encode(dst []byte, batch []message.Message) ([]byte, error) {
	if encode := mutants[m.name].encode; encode != nil {
		return encode(m.plain, dst, batch)
	}
	return m.plain.Encode(dst, batch)
}

func (m mutant) Stream(ctx context.Context, req provider.Request) (<-chan provider.Chunk, error) {
	in, err := m.plain.Stream(ctx, req)
	stream := mutants[m.name].stream
	if err != nil || stream == nil {
		return in, err
	}
	out := make(chan provider.Chunk)
	go func() {
		defer close(out)
		stream(ctx, in, out)
	}()
	return out, nil
}
