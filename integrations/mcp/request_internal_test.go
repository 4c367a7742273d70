package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/core/tool"
)

// bare is a link without a connection.
func bare(t *testing.T, w World) *link {
	t.Helper()
	set := Start(w, nil)
	t.Cleanup(func() { _ = set.Close() })
	l := newLink(newServer(set, Config{Name: "s"}, "s"))
	for _, w := range []*watch{l.lists.tools, l.lists.prompts, l.lists.resources} {
		w.read = func(context.Context) {}
	}
	return l
}

// silent never answers.
func silent(ctx context.Context, _ string) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// TestMC15ProgressKeepsACallAlive: 90 seconds with a limit of 30, because there is
// progress every five; and every step is told.
func TestMC15ProgressKeepsACallAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []event.ToolProgress
		l := bare(t, World{Emit: func(p event.Payload) error {
			told = append(told, p.(event.ToolProgress))
			return nil
		}})
		ctx := tool.WithCall(t.Context(), &tool.Call{ID: "c"})
		got, err := request(ctx, l, 30*time.Second, func(_ context.Context, token string) (string, error) {
			for i := range 18 {
				time.Sleep(5 * time.Second)
				l.progress(&sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 18, Message: "step\x1b[1m"})
			}
			synctest.Wait()
			return "done", nil
		})
		if got != "done" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if len(told) != 18 || told[17] != (event.ToolProgress{Call: "c", Done: 18, Total: 18, Text: "step[1m"}) {
			t.Errorf("told %v", told)
		}
	})
}

// TestMC15LastStepIsTold: what was heard before the answer is told before the call
// returns, the newest of it where it is too much to be kept.
func TestMC15LastStepIsTold(t *testing.T) {
	for _, steps := range []int{1, 20, 1000} {
		var told []float64
		l := bare(t, World{Emit: func(p event.Payload) error {
			told = append(told, p.(event.ToolProgress).Done)
			return nil
		}})
		ctx := tool.WithCall(t.Context(), &tool.Call{ID: "c"})
		_, err := request(ctx, l, time.Hour, func(_ context.Context, token string) (int, error) {
			for i := range steps {
				l.hear(&sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1)})
			}
			for i := range steps { // as the SDK does
				l.progress(&sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1)})
			}
			return 0, nil
		})
		if err != nil || len(told) == 0 || told[len(told)-1] != float64(steps) || !slices.IsSorted(told) || len(told) > steps {
			t.Errorf("%d steps: told %v, %v", steps, told, err)
		}
	}
}

// TestSilenceEndsACall: at the limit, and not while a person is asked.
func TestSilenceEndsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bare(t, World{Sample: func(ctx context.Context, _ SampleRequest) (SampleReply, error) {
			<-ctx.Done()
			return SampleReply{}, context.Cause(ctx)
		}})
		began := time.Now()
		if _, err := request(t.Context(), l, 30*time.Second, silent); !errors.Is(err, errSilent) || time.Since(began) != 30*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		_, err := request(t.Context(), l, 30*time.Second, func(ctx context.Context, _ string) (int, error) {
			l.host.admit(&l.host.questions)
			time.Sleep(time.Hour)
			l.host.over(&l.host.questions)
			time.Sleep(29 * time.Second)
			return 0, ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
		began = time.Now()
		_, err = request(t.Context(), l, 30*time.Second, func(ctx context.Context, _ string) (int, error) {
			time.Sleep(29 * time.Second)
			_, err := l.host.sample(ctx, &sdk.CreateMessageRequest{Params: &sdk.CreateMessageParams{}}) //nolint:staticcheck // SA1019: servers of today sample
			return 0, err
		})
		if !errors.Is(err, errSilent) || time.Since(began) != 59*time.Second {
			t.Errorf("a model that does not answer: %v after %s", err, time.Since(began))
		}
	})
}

// TestCancelledCallReturnsAtOnce: with the cause, whatever the server does.
func TestCancelledCallReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bare(t, World{})
		ctx, cancel := context.WithCancelCause(t.Context())
		esc := errors.New("esc")
		time.AfterFunc(time.Second, func() { cancel(esc) })
		began := time.Now()
		if _, err := request(ctx, l, time.Hour, silent); !errors.Is(err, esc) || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// TestDelaysGrow: the first failure costs nothing, then a second, twice that, and
// so on up to a minute; what works forgets it all.
func TestDelaysGrow(t *testing.T) {
	now := time.Unix(1e9, 0)
	set := Start(World{Now: func() time.Time { return now }}, nil)
	t.Cleanup(func() { _ = set.Close() })
	s := newServer(set, Config{Name: "s"}, "s")
	for i, want := range []time.Duration{0, 1, 2, 4, 8, 16, 32, 60, 60} {
		_ = s.broke("it broke")
		if got := max(0, s.retry.Sub(now)); got != want*time.Second {
			t.Errorf("failure %d: %s", i+1, got)
		}
	}
	s.worked()
	if s.failures != 0 || !s.retry.IsZero() {
		t.Error("not forgotten")
	}
}

// What is told of a fault is bounded: its text is the server's.
func TestAFaultIsToldInBrief(t *testing.T) {
	err := declared{cfg: Config{Name: "srv"}}.error("call x: " + strings.Repeat("é", 250_000) + " the end")
	text := err.Error()
	if len(text) > maxFault+100 || !strings.HasPrefix(text, "MCP server srv: call x: é") || !strings.HasSuffix(text, "é the end") || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %.60q", len(text), text)
	}
	if got := atMostAbout(strings.Repeat("é", 1000), maxHelp); len(got) > maxHelp+10 || !utf8.ValidString(got) {
		t.Errorf("%d bytes of help", len(got))
	}
}
