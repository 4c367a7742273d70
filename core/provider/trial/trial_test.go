package trial_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"reasonix/core/provider"
	"reasonix/core/provider/openai"
	pt "reasonix/core/provider/providertest"
	"reasonix/core/provider/trial"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// try tries the endpoint that s plays; vendor "" is nobody's.
func try(t *testing.T, s *pt.Server, vendor string, change ...func(*provider.Config)) (trial.Result, error) {
	t.Helper()
	base, transport, profile := s.BaseURL(), &http.Transport{}, provider.Generic()
	if vendor != "" {
		base, transport = s.As(vendor)
		profile, _ = provider.ProfileNamed(vendor)
	}
	t.Cleanup(transport.CloseIdleConnections)
	var told []trial.Check
	got, err := trial.Run(t.Context(), trial.Subject{
		Profile: profile, Model: "scripted", Transport: transport,
		Open: func(client *http.Client) (provider.Provider, error) {
			cfg := provider.Config{Name: t.Name(), BaseURL: base, Model: "scripted", HTTP: client}
			for _, f := range change {
				f(&cfg)
			}
			return openai.New(cfg)
		},
		Progress: func(c trial.Check) { told = append(told, c) },
	})
	if err == nil && len(told) != len(got.Checks) {
		t.Errorf("told of %d checks, made %d", len(told), len(got.Checks))
	}
	return got, err
}

// statuses is name=status of every check.
func statuses(r trial.Result) string {
	var all []string
	for _, c := range r.Checks {
		all = append(all, strings.ReplaceAll(c.Name, " ", "_")+"="+string(c.Status))
	}
	return strings.Join(all, " ")
}

// At a vendor that is as its profile says nothing fails, and what is found is what
// the profile says.
func TestVendorsAreFoundToBeAsTheirProfilesSay(t *testing.T) {
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			s := pt.New(t)
			s.Respond(pt.Obliging)
			got, err := try(t, s, p.Name)
			if err != nil || got.Failed() != nil {
				t.Fatalf("%v, %v: %s", err, got.Failed(), statuses(got))
			}
			f := got.Found
			if f.Usage != p.Usage && !strings.HasPrefix(p.Usage, f.Usage) {
				t.Errorf("the counts are found in %q, the profile says %q", f.Usage, p.Usage)
			}
			if (len(p.Cache) == 0) != (len(f.Cache) == 0) {
				t.Errorf("cache counts %v, the profile says %v", f.Cache, p.Cache)
			}
			for _, c := range f.Cache {
				if !slices.Contains(p.Cache, c) {
					t.Errorf("cache count %s is not in the profile", c)
				}
			}
			for _, field := range f.Reasoning {
				if !slices.Contains(p.Reasoning, field) {
					t.Errorf("reasoning in %s is not in the profile", field)
				}
			}
			replay := map[provider.Replay]string{provider.ReplayNever: "not sent", provider.ReplayCalls: "accepted", provider.ReplayAll: "accepted"}[p.Replay]
			if len(p.Reasoning) == 0 {
				replay = ""
			}
			if f.Replay != replay || !f.Parallel || len(f.Refused) > 0 {
				t.Errorf("got %+v", f)
			}
			if got.Requests != 6 || len(s.Requests()) != 5 {
				t.Errorf("%d requests", got.Requests)
			}
			if beside := p.Name == "xai"; f.Beside != beside {
				t.Errorf("reasoning beside the output: %v", f.Beside)
			}
		})
	}
}

func TestRefusedParametersAreFound(t *testing.T) {
	s := pt.New(t)
	s.RefuseParams("stream_options")
	s.Respond(pt.Obliging)
	got, err := try(t, s, "")
	if err != nil || got.Failed() != nil {
		t.Fatal(err, got.Failed())
	}
	const want = "models=ok text=ok usage=ok stream_options=note tool_call=ok tool_result=ok reasoning=ok parallel_calls=ok"
	if diff := cmp.Diff(want, statuses(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"stream_options"}, got.Found.Refused); diff != "" || got.Requests != 7 {
		t.Errorf("%d requests, %s", got.Requests, diff)
	}
}

func TestAnEndpointThatDoesNotAnswerIsAskedNoMore(t *testing.T) {
	s := pt.New(t)
	s.RequireKey("sk-right-0123456789")
	got, err := try(t, s, "")
	var f *provider.Failure
	if err != nil || !errors.As(got.Failed(), &f) || f.Kind != provider.KindAuth {
		t.Fatal(err, got.Failed())
	}
	if statuses(got) != "models=failed text=failed" || len(s.Requests()) != 1 {
		t.Errorf("%s after %d requests", statuses(got), len(s.Requests()))
	}
}

func TestModelsThatDoLess(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(*pt.Received) pt.Reply
		want  string
		fails bool
	}{
		"words instead of calls": {
			func(r *pt.Received) pt.Reply { return pt.Text("I would call lookup.") },
			"models=ok text=ok usage=ok stream_options=ok tool_call=failed tool_result=skipped reasoning=skipped parallel_calls=note", true,
		},
		"one call at a time": {
			func(r *pt.Received) pt.Reply {
				if len(r.Tools) > 0 && r.Last().Role == "user" {
					return pt.Calls(pt.Call{Name: "lookup", Arguments: `{"name":"alpha"}`})
				}
				return pt.Obliging(r)
			},
			"models=ok text=ok usage=ok stream_options=ok tool_call=ok tool_result=ok reasoning=skipped parallel_calls=note", false,
		},
		"arguments that are none": {
			func(r *pt.Received) pt.Reply {
				if len(r.Tools) > 0 {
					return pt.Calls(pt.Call{Name: "lookup", Arguments: `{"name":`})
				}
				return pt.Obliging(r)
			},
			"models=ok text=ok usage=ok stream_options=ok tool_call=failed tool_result=skipped reasoning=skipped parallel_calls=note", true,
		},
		"all reasoning": {
			func(r *pt.Received) pt.Reply {
				if len(r.Tools) == 0 {
					return pt.Text("").Reasoning("reasoning_content", "hm").Finish("length")
				}
				return pt.Obliging(r)
			},
			"models=ok text=note usage=ok stream_options=ok tool_call=ok tool_result=ok reasoning=ok parallel_calls=ok", false,
		},
		"no counts": {
			func(r *pt.Received) pt.Reply {
				if len(r.Tools) == 0 {
					return pt.Raw(pt.Delta(`"content":"ready"`), pt.Finish("stop"), pt.Done)
				}
				return pt.Obliging(r)
			},
			"models=ok text=ok usage=note stream_options=ok tool_call=ok tool_result=ok reasoning=ok parallel_calls=ok", false,
		},
		"reasoning that must come back": {
			func(r *pt.Received) pt.Reply {
				if r.Last().Role == "tool" {
					return pt.Status(400, `{"error":{"message":"missing reasoning_content in assistant message"}}`)
				}
				return pt.Obliging(r)
			},
			"models=ok text=ok usage=ok stream_options=ok tool_call=ok tool_result=failed reasoning=failed parallel_calls=failed", true,
		},
		"reasoning that must not come back": {
			func(r *pt.Received) pt.Reply {
				for _, m := range r.Messages {
					if len(m.Reasoning) > 0 {
						return pt.Status(400, `{"error":{"message":"property 'reasoning_content' is unsupported"}}`)
					}
				}
				return pt.Obliging(r)
			},
			"models=ok text=ok usage=ok stream_options=ok tool_call=ok tool_result=ok reasoning=note parallel_calls=ok", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := pt.New(t)
			s.Respond(c.reply)
			got, err := try(t, s, "")
			if diff := cmp.Diff(c.want, statuses(got)); err != nil || diff != "" || (got.Failed() != nil) != c.fails {
				t.Errorf("%v, %v\n%s", err, got.Failed(), diff)
			}
		})
	}
}

// Whatever an endpoint refuses, a trial has its bound.
func TestRequestsAreBounded(t *testing.T) {
	s := pt.New(t)
	names := []string{"stream_options", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3"}
	s.RefuseParams(names...)
	s.Respond(pt.Obliging)
	got, err := try(t, s, "", func(c *provider.Config) {
		c.Options.ExtraBody = map[string]any{}
		for _, n := range names[1:] {
			c.Options.ExtraBody[n] = 1
		}
	})
	if err != nil || got.Failed() == nil || got.Requests != trial.MaxRequests || len(s.Requests()) != trial.MaxRequests-1 {
		t.Errorf("%v, %v, %d requests", err, got.Failed(), got.Requests)
	}
}

func TestCancelledTrialSaysWhy(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	s := pt.New(t)
	_, err := trial.Run(ctx, trial.Subject{Model: "m", Open: func(c *http.Client) (provider.Provider, error) {
		return openai.New(provider.Config{Name: "x", BaseURL: s.BaseURL(), Model: "m", HTTP: c})
	}})
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
