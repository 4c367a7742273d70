// Package mcp is the client of Model Context Protocol servers: it starts the
// configured ones, keeps them apart from each other and from the session, and
// offers their tools, prompts and resources. The protocol itself is the official
// SDK's; names, schemas and results are made fit for models by package shape.
//
// A Set is the servers of one session. Each has a life of its own: it starts in
// the background, fails alone, and is started again by its next use, later and
// later while it keeps failing. The list of tools that the model is told is fixed
// by the first call of Set.Tools and changes only by Set.Refresh, so that no
// server can break the cached prefix of a conversation; what a server offers
// since can be called by name all the same.
//
// The package judges no call and knows no trust: whoever makes a Set hands it
// only servers that may be started, and Set.Approval has what a policy needs.
// commands/wire and commands/mcp use it.
package mcp
