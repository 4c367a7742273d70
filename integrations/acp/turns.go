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
	unread  []word
}

// word is what a steer said. heard: the session told that it is for the turn that runs.
type word struct {
	id    event.PromptID
	heard bool
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

// steer notes a steer that is about to be submitted.
func (t *turns) steer(id event.PromptID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unread = append(t.unread, word{id: id})
}

// unsteer takes back one that was refused.
func (t *turns) unsteer(id event.PromptID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(id)
}

// heard notes that what id says is for the turn that runs. Its record stands before that
// of the turn's end, or it would be for the next one.
func (t *turns) heard(id event.PromptID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.unread {
		t.unread[i].heard = t.unread[i].heard || t.unread[i].id == id
	}
}

// read notes that the model was told what id says, and reports whether a request of
// this client said it.
func (t *turns) read(id event.PromptID) (ours bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ours = t.waiting[id] != nil || slices.ContainsFunc(t.unread, func(w word) bool { return w.id == id })
	t.drop(id)
	return ours
}

func (t *turns) drop(id event.PromptID) {
	t.unread = slices.DeleteFunc(t.unread, func(w word) bool { return w.id == id })
}

// end returns the request to answer now that the turn of id has ended, nil when there is
// none or it has moved on to the turn of the first of late: the steers that were for this
// turn and it did not read, which will have turns of their own unless they are stopped.
// beside says that another turn runs: that of id never began, and no steer was for it.
func (t *turns) end(id event.PromptID, beside bool) (req *jsonrpc.Request, late []event.PromptID, moved bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(id)
	req = t.waiting[id]
	delete(t.waiting, id)
	for _, w := range t.unread {
		if w.heard && !beside {
			late = append(late, w.id)
		}
	}
	if req != nil && len(late) > 0 && t.waiting[late[0]] == nil { // one request a turn is enough
		t.waiting[late[0]], req, moved = req, nil, true
	}
	return req, late, moved
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
