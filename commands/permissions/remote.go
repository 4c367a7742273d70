package permissions

import (
	"slices"
	"strings"

	"reasonix/commands/cmdutil"
	"reasonix/core/config"
	"reasonix/core/permission"
)

// What a server may say of its tool (--hint).
const (
	hintReadOnly    = "read-only"
	hintDestructive = "destructive"
)

// prefixRemote begins the names of the tools of MCP servers.
const prefixRemote = "mcp__"

// remotely gives the policy what the configuration says of a server's tool. What only
// the running server knows of it is what the flags say.
func (q *question) remotely(s *scene) error {
	if !strings.HasPrefix(q.tool, prefixRemote) {
		if *q.approval != "" || *q.hint != "" {
			return cmdutil.Usagef("--approval-mode and --hint are about a tool of a server: --tool mcp__SERVER__TOOL")
		}
		return nil
	}
	r := remoteOf(s.cfg.Servers(), q.tool)
	if *q.approval != "" {
		r.Mode = permission.ApprovalMode(*q.approval)
	}
	if r.Server == "" && r.Mode == "" && *q.hint == "" {
		return nil // nobody knows the server, so that the rules decide
	}
	if r.Server == "" {
		r.Server, r.Tool, _ = strings.Cut(strings.TrimPrefix(q.tool, prefixRemote), "__")
	}
	if r.Mode == "" {
		r.Mode = permission.RemoteAuto
	}
	r.Destructive = *q.hint == hintDestructive
	r.ReadOnly = r.ReadOnly || *q.hint == hintReadOnly
	s.policy.Remote = func(name string) permission.Remote {
		if name != q.tool {
			return permission.Remote{}
		}
		return r
	}
	return nil
}

// remoteOf is what the configuration says of a tool; of servers whose names both
// begin its name, the longer one's.
func remoteOf(servers []config.Server, name string) (r permission.Remote) {
	longest := 0
	for i := range servers {
		rest, ok := strings.CutPrefix(name, prefixRemote+legal(servers[i].Name)+"__")
		if !ok || len(servers[i].Name) <= longest {
			continue
		}
		longest = len(servers[i].Name)
		raw := rawName(servers[i], rest)
		r = permission.Remote{
			Server: servers[i].Name, Tool: raw, Mode: permission.ApprovalMode(servers[i].ApprovalMode(raw)),
			ReadOnly: slices.Contains(servers[i].TrustedReadOnlyTools, raw), Review: servers[i].ApprovalsReviewer,
		}
	}
	return r
}

// rawName is the server's own name of a tool, as far as the configuration names it.
func rawName(s config.Server, part string) string {
	for _, raw := range s.TrustedReadOnlyTools {
		if legal(raw) == part {
			return raw
		}
	}
	for raw := range s.Tools {
		if legal(raw) == part {
			return raw
		}
	}
	return part
}

// legal is a name as it stands in that of a tool.
func legal(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// approval is how a server's tool is approved, as a script reads it.
type approval struct {
	Server   string `json:"server"`
	Mode     string `json:"mode"`
	Hint     string `json:"hint"`     // read-only, destructive or ""
	Reviewer string `json:"reviewer"` // user or auto_review
	// Reviewed: the reviewer is asked first, and its allow or deny is final.
	Reviewed bool `json:"reviewed"`
}

// approval is that of a call; nil: of no known server.
func (s *scene) approval(tool string, why permission.Reason) *approval {
	if s.policy.Remote == nil {
		return nil
	}
	r := s.policy.Remote(tool)
	if r.Server == "" {
		return nil
	}
	a := &approval{Server: r.Server, Mode: string(r.Mode), Reviewer: "user", Reviewed: permission.Reviewed(why, s.posture)}
	if r.Review == permission.AutoReview {
		a.Reviewer = permission.AutoReview
	}
	switch {
	case r.Destructive:
		a.Hint = hintDestructive
	case r.ReadOnly:
		a.Hint = hintReadOnly
	}
	return a
}

// line is the approval in words.
func (a *approval) line() string {
	if a == nil {
		return ""
	}
	text := "mode " + a.Mode + " of " + a.Server
	if a.Hint != "" {
		text += ", " + a.Hint
	}
	if a.Reviewed {
		text += "; the model that reviews is asked first"
	}
	return text
}
