package tool

import "reasonix/core/protocol"

// TerminalCommand is what Env.Terminal runs.
type TerminalCommand = protocol.TerminalCommand
