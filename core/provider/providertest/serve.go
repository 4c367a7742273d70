package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// handle routes one request. Every path but the two resources is a 404.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left while it was still sending
	}
	s.mu.Lock()
	set := s.settings
	s.mu.Unlock()
	switch {
	case r.Method == http.MethodPost && r.URL.Path == set.chatPath:
		s.chat(w, r, body)
	case r.Method == http.MethodGet && r.URL.Path == set.modelsPath:
		listModels(w, r, set)
	default:
		fault(http.StatusNotFound, "not_found_error", "",
			fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)).send(w)
	}
}

// chat records one chat request and plays its reply.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, body []byte) {
	rec := received(r, body, &s.known)
	defer close(rec.done)
	reply, refused := s.take(rec)
	if refused != nil {
		refused.send(w)
		return
	}
	s.play(w, r, rec, reply)
}

// take files the request and picks its reply, or the refusal to send instead.
func (s *Server) take(rec *Received) (Reply, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec.Index = len(s.requests)
	refused := s.judge(rec)
	rec.Accepted = refused == nil
	s.requests = append(s.requests, rec)
	close(s.arrived)
	s.arrived = make(chan struct{})
	if refused != nil {
		return Reply{}, refused
	}
	return s.next(rec)
}

// judge decides whether a real endpoint would take the request.
func (s *Server) judge(rec *Received) *refusal {
	set := &s.settings
	if !hasKey(rec.Header, set.key) {
		return set.refuse(http.StatusUnauthorized, "authentication_error", "", "Incorrect API key provided.")
	}
	for _, name := range set.refused {
		if _, sent := rec.Fields[name]; sent {
			return set.refuse(http.StatusBadRequest, "invalid_request_error", name,
				fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model.", name))
		}
	}
	if set.lenient {
		return nil
	}
	problem := check(rec)
	if problem == "" {
		problem = set.reasoning.check(rec)
	}
	refused := set.checkVendor(rec)
	switch {
	case problem != "":
		refused = set.refuse(http.StatusBadRequest, "invalid_request_error", "", problem)
	case refused != nil:
		problem = string(refused.body)
	default:
		return nil
	}
	rec.Rejection = problem
	s.rejections = append(s.rejections, fmt.Sprintf("request %d: %s", rec.Index, problem))
	return refused
}

// next takes the script's next reply and gives its calls their ids. The lock is
// given up while the test's own responder runs.
func (s *Server) next(rec *Received) (Reply, *refusal) {
	var reply Reply
	switch {
	case len(s.script) > 0:
		reply = s.script[0]
		s.script = s.script[1:]
	case s.respond != nil:
		respond := s.respond
		s.mu.Unlock()
		reply = respond(rec)
		s.mu.Lock()
	default:
		s.exhausted++
		return Reply{}, fault(http.StatusInternalServerError, "server_error", "", "script exhausted").
			with("Retry-After", "86400")
	}
	reply = reply.named(rec.Index, s.settings.vendor)
	if v := s.settings.vendor; v != nil {
		reply = v.dress(reply, rec)
	}
	s.settings.reasoning.note(reply)
	return reply, nil
}

func hasKey(h http.Header, key string) bool {
	return key == "" || h.Get("Authorization") == "Bearer "+key
}

// refusal is an error answer in the vendors' JSON.
type refusal struct {
	status int
	body   []byte
	header http.Header
}

func fault(status int, kind, param, text string) *refusal {
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	d := detail{Message: text, Type: kind}
	if param != "" {
		code := "unsupported_parameter"
		d.Param, d.Code = &param, &code
	}
	return &refusal{status: status, body: mustJSON(map[string]detail{"error": d}), header: http.Header{}}
}

func (f *refusal) with(key, value string) *refusal {
	f.header.Set(key, value)
	return f
}

func (f *refusal) send(w http.ResponseWriter) {
	for k, v := range f.header {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_, _ = w.Write(f.body)
}

func listModels(w http.ResponseWriter, r *http.Request, set settings) {
	if !hasKey(r.Header, set.key) {
		set.refuse(http.StatusUnauthorized, "authentication_error", "", "Incorrect API key provided.").send(w)
		return
	}
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	data := make([]model, 0, len(set.models))
	for _, id := range set.models {
		data = append(data, model{ID: id, Object: "model"})
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(map[string]any{"object": "list", "data": data}))
}

// mustJSON encodes plain data, which cannot fail, without escaping HTML.
func mustJSON(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("providertest: " + err.Error())
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
