package acp

import (
	"reasonix/core/event"
	"reasonix/core/message"
	"reasonix/integrations/internal/acpwire"
	"reasonix/integrations/internal/jsonrpc"
)

// updates tells the client of one session what happens, in order. When the client is
// gone, the server ends, so that nothing here fails.
type updates struct {
	client
	id   string // of the session
	conn *jsonrpc.Conn
}

// update sends one session/update.
func (u *updates) update(one any) {
	_ = u.conn.Notify("session/update", acpwire.Update{SessionID: u.id, Update: one})
}

// chunk sends a text of the conversation, in several pieces when it is long.
func (u *updates) chunk(kind string, id message.ID, text string) {
	for piece := range pieces(text) {
		// What is sent more often than all else writes itself.
		_ = u.conn.Notify("session/update", &acpwire.ChunkUpdate{
			SessionID: u.id, Chunk: acpwire.Chunk{SessionUpdate: kind, MessageID: string(id), Content: acpwire.TextBlock(piece)},
		})
	}
}

// notice tells people something that is no answer. A client without a place for it is
// sent a thought, which is shown and is part of no answer either.
func (u *updates) notice(level, title, detail string) {
	switch level {
	case event.LevelInfo, event.LevelWarning, event.LevelError:
	default:
		level = event.LevelInfo
	}
	title, detail = withoutHome(u.home, title), withoutHome(u.home, detail)
	if u.can.Session.Notices != nil {
		u.update(acpwire.Notice{SessionUpdate: acpwire.NoticeRaised, Severity: level, Title: title, Description: detail})
		return
	}
	text := "[" + level + "] " + title
	if detail != "" {
		text += ": " + detail
	}
	u.chunk(acpwire.AgentThought, "", text+"\n")
}
