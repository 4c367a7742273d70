// Package recall holds the tools by which the model looks beyond its session:
// memory finds and reads facts, remember and forget change them, history searches
// what was said and done in earlier sessions.
//
// The package describes and carries out; who may call what is decided elsewhere.
// A change of memory outlives the session, so it is asked about each time: the
// subject of such a call shows what would be kept or archived, and what is done
// is what was shown, or nothing. The stores are opened on first use, from the
// directories in tool.Settings. The tools register themselves; the agent calls them
// through the registry.
package recall
