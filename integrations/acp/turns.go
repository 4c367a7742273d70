package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"reasonix/core/event"
	"reasonix/integrations/internal/jsonrpc"
)

// turns are the prompt requests that wait for a turn of one session, and the
// accepted steers its model has not read. A steer that comes too late for its
// turn becomes the next one, and the client is still owed the first request's
// answer: it waits on. Safe for concurrent use.
type turns struct {
	mu      sync.Mutex
	waiting map[event.PromptID]*jsonrpc.Request
	unread  []event.PromptID
}

func (t *turns) wait(id event.PromptID, req *jsonrpc.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[event.PromptID]*jsonrpc.Request{}
	}
	t.waiting[id] = req
}

func (t *turns) forget(id event.PromptID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, id)
}

// steer notes a steer that submit gets accepted. The end of its turn is not
// looked at before both have happened.
func (t *turns) steer(id event.PromptID, submit func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := submit(); err != nil {
		return err
	}
	t.unread = append(t.unread, id)
	return nil
}

// read notes that the model was told what id says, and reports whether a request of
// this client said it.
func (t *turns) read(id event.PromptID) (ours bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ours = t.waiting[id] != nil || slices.Contains(t.unread, id)
	t.drop(id)
	return ours
}

func (t *turns) drop(id event.PromptID) {
	t.unread = slices.DeleteFunc(t.unread, func(u event.PromptID) bool { return u == id })
}

// end returns the request to answer now that the turn of id has ended, nil when there is
// none or it has moved on to the turn of the first of late: the steers that are accepted
// and unread, which will have turns of their own unless they are stopped.
func (t *turns) end(id event.PromptID) (req *jsonrpc.Request, late []event.PromptID, moved bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(id)
	req = t.waiting[id]
	delete(t.waiting, id)
	if req != nil && len(t.unread) > 0 && t.waiting[t.unread[0]] == nil { // one request a turn is enough
		t.waiting[t.unread[0]], req, moved = req, nil, true
	}
	return req, slices.Clone(t.unread), moved
}

// of is the prompt whose turn answers the request of this id.
func (t *turns) of(request json.RawMessage) (event.PromptID, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, req := range t.waiting {
		if bytes.Equal(req.ID, request) {
			return id, true
		}
	}
	return "", false
}

// rest takes the requests whose turns will never end: the session is closed.
func (t *turns) rest() []*jsonrpc.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*jsonrpc.Request
	for id, req := range t.waiting {
		all = append(all, req)
		delete(t.waiting, id)
	}
	return all
}
