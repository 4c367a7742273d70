package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"reasonix/core/provider"
)

const maxModels = 8 << 20 // bytes of a list

// Models lists the ids of the models the endpoint offers, in its order and
// without repetitions. Errors of the endpoint are *provider.Failure.
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	if p.modelsURL == nil {
		return nil, fmt.Errorf("provider %s: list models: set models_url, chat_url does not say where the list is", p.name)
	}
	x := &exchange{limits: p.limits, parts: &parts{}}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.watch = newWatch(x.cancel)
	defer x.close()
	req, err := http.NewRequestWithContext(x.watch.trace(x.ctx, p.limits), http.MethodGet, p.modelsURL.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("provider %s: list models: %w", p.name, err)
	}
	req.Header = p.header.Clone()
	req.Header.Del("Content-Type")
	req.Header.Set("Accept", "application/json")
	var body []byte
	f := p.do(x, req)
	if f == nil {
		body, f = p.list(x)
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("provider %s: list models: %w", p.name, withCause(ctx))
	case f != nil:
		return nil, p.failure(f, provider.PhaseFirstByte)
	}
	ids, err := modelIDs(body)
	if err != nil {
		return nil, p.failure(p.notAList(x), provider.PhaseFirstByte)
	}
	return ids, nil
}

func (p *Provider) list(x *exchange) ([]byte, *fault) {
	body, err := io.ReadAll(io.LimitReader(x, maxModels))
	if err != nil {
		return nil, p.sendFault(x, p.modelsURL, err)
	}
	return body, nil
}

func (p *Provider) notAList(x *exchange) *fault {
	return &fault{
		kind:   provider.KindRequest,
		status: x.resp.StatusCode,
		text:   fmt.Sprintf("no list of models: %s from %s", orNone(mediaType(x.resp)), safeURL(x.resp.Request.URL)),
	}
}

// modelIDs reads {"data":[{"id"}]}, {"models":[{"id" or "name"}]} and a bare
// list.
func modelIDs(body []byte) ([]string, error) {
	type entry struct{ ID, Name string }
	var list []entry
	if json.Unmarshal(body, &list) != nil {
		var object struct{ Data, Models *[]entry }
		if err := json.Unmarshal(body, &object); err != nil {
			return nil, err
		}
		switch {
		case object.Data != nil:
			list = *object.Data
		case object.Models != nil:
			list = *object.Models
		default:
			return nil, errors.New("neither data nor models")
		}
	}
	var ids []string
	seen := map[string]bool{"": true}
	for _, e := range list {
		id := e.ID
		if id == "" {
			id = e.Name
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}
