// Package trust keeps what a person granted to a repository: a list per workspace
// of the parts of its configuration that may count, each bound to a hash of its
// canonical form, so that a part that changes is off until it is granted again.
// The list is <home>/grants.json, which a person can read and no repository can
// write; a workspace is known by its real path. A file that cannot be read or
// understood grants nothing, is named, and is kept when another takes its place.
// The package knows nothing of configuration: core/config splits files into parts
// and hashes them, commands/wire brings the two together, and commands/permissions
// shows, grants and revokes.
package trust
