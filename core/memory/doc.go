// Package memory keeps facts: what a person or the model wants known in later
// sessions, one Markdown file each, with keys in front that a person can edit
// (docs/memory.md). There are two directories of them, the user's own and the
// project's. Nothing is deleted: every revision has a copy in the archive beside
// the facts, forgetting a fact leaves it there, and restoring it makes a higher
// revision. A file that cannot be read is named and left alone.
//
// The package finds facts by words (Search) and picks the few that belong to what
// the user just typed (Recall). It asks nobody and decides nothing about
// permission: the tools of core/tool/recall and commands/memory do that. A
// configured key or password is never written. Several processes may work on the
// same directories at once.
package memory
