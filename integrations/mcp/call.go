package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"reasonix/core/event"
	"reasonix/core/tool"
	"reasonix/integrations/mcp/shape"
)

// A call is one request to a server that is under way.
type call struct {
	ctx  context.Context
	stop context.CancelCauseFunc
	id   string                               // of the tool call
	news chan *sdk.ProgressNotificationParams // nil: a sign of life without more
	// early is how many pieces of news were heard before the SDK handed them on,
	// which it will; the link's mu guards it.
	early int
}

var errSilent = errors.New("no answer")

// call calls the tool, once more where its connection turned out to be gone and a
// second call does no harm.
func (r remote) call(ctx context.Context, args json.RawMessage) (string, error) {
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage(`{}`)
	}
	for again := false; ; again = true {
		l, err := r.server.ready(ctx)
		if err != nil {
			return "", err
		}
		l.lists.upToDate(ctx)
		if err := r.stands(); err != nil {
			return "", r.server.error(err.Error())
		}
		res, err := l.callTool(ctx, r.spec.Raw, args)
		if err == nil {
			r.server.worked()
			return r.shaped(ctx, res)
		}
		if again || !errors.Is(err, errEnded) || l.process != nil || !r.repeatable() {
			return "", r.server.error(fmt.Sprintf("call %s: %v", r.spec.Raw, err))
		}
		r.server.set.note(event.Notice{
			Level: event.LevelInfo, Code: "mcp.again", Args: []string{r.server.cfg.Name, r.spec.Raw},
			Text: fmt.Sprintf("MCP server %s lost its session; %s is called again in a new one", r.server.cfg.Name, r.spec.Raw),
		})
		r.server.pardon()
	}
}

// repeatable reports whether the server says that a second call changes nothing
// that the first one did not.
func (r remote) repeatable() bool {
	s, w := r.newest()
	return w.readOnly || s.Idempotent
}

func (r remote) shaped(ctx context.Context, res *sdk.CallToolResult) (string, error) {
	c := tool.CallFrom(ctx)
	out := shape.Result(res, shape.Options{Limit: r.server.world.OutputCap, Save: c.Save})
	if out.Full != "" {
		c.Full = out.Full
	}
	for _, image := range out.Images {
		if c.Attach != nil {
			c.Attach(image)
		}
	}
	if out.Failed {
		return "", errors.New(out.Text)
	}
	return out.Text, nil
}

// callTool asks the server and waits for its answer. The error wraps errEnded when
// the connection ended.
func (l *link) callTool(ctx context.Context, raw string, args json.RawMessage) (*sdk.CallToolResult, error) {
	limit := l.server.cfg.callTimeout(*l.server.world, raw)
	return request(ctx, l, limit, func(ctx context.Context, token string) (*sdk.CallToolResult, error) {
		params := &sdk.CallToolParams{Name: raw, Arguments: args}
		params.SetProgressToken(token)
		return l.session.CallTool(ctx, params)
	})
}

// request runs ask and waits for it as long as it shows progress every limit, or
// waits for a person. When it returns before there is an answer, the server is being told
// to stop.
func request[T any](ctx context.Context, l *link, limit time.Duration, ask func(ctx context.Context, token string) (T, error)) (T, error) {
	c := &call{id: tool.CallFrom(ctx).ID, news: make(chan *sdk.ProgressNotificationParams, 64)}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	defer c.stop(nil)
	type reply struct {
		value T
		err   error
	}
	answer := make(chan reply, 1)
	var none T
	token, err := l.enter(c, func(token string) {
		value, err := ask(c.ctx, token)
		answer <- reply{value, err}
	})
	if err != nil {
		return none, l.outcome(c, err)
	}
	defer l.leave(token)
	idle := time.NewTimer(limit)
	defer idle.Stop()
	for {
		select {
		case p := <-c.news:
			idle.Reset(limit)
			l.tellProgress(c, p)
		case r := <-answer:
			l.tellRest(c)
			return r.value, l.outcome(c, r.err)
		case <-c.ctx.Done():
			return none, l.outcome(c, context.Cause(c.ctx))
		case <-idle.C:
			if l.host.waits() || len(c.news) > 0 {
				idle.Reset(limit)
				continue
			}
			c.stop(errSilent)
			return none, fmt.Errorf("%w for %s, and it was told to stop", errSilent, limit)
		}
	}
}

// tellRest tells the news that came before an answer.
func (l *link) tellRest(c *call) {
	for {
		select {
		case p := <-c.news:
			l.tellProgress(c, p)
		default:
			return
		}
	}
}

func (l *link) tellProgress(c *call, p *sdk.ProgressNotificationParams) {
	if emit := l.server.world.Emit; emit != nil && p != nil && c.id != "" {
		_ = emit(event.ToolProgress{Call: c.id, Done: p.Progress, Total: p.Total, Text: printable(brief(p.Message))})
	}
}

// outcome says why a request failed; nil when it did not.
func (l *link) outcome(c *call, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(c.ctx); cause != nil && !errors.Is(cause, errEnded) {
		return cause
	}
	if !ended(err) {
		return err
	}
	l.close() // the SDK may wait for what never comes
	why := fmt.Errorf("%w: %s", errEnded, l.why())
	if tail := l.server.log.last(); tail != "" && l.process != nil {
		why = fmt.Errorf("%w\nIts standard error ends:\n%s", why, tail)
	}
	return why
}

// ended reports whether a request failed because there is no connection any more.
func ended(err error) bool {
	for _, gone := range []error{sdk.ErrConnectionClosed, sdk.ErrSessionMissing, io.EOF, io.ErrClosedPipe, errEnded} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// pardon lets a server whose session was lost start again at once.
func (s *server) pardon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retry = time.Time{}
}
