package commands

import "reasonix/commands/permissions"

// Explained is what `permissions explain` says of a number of calls under Rules,
// the user's config.toml, in a world that is the same everywhere. Only the
// generator of the documentation calls it.
func Explained() (rules string, examples []permissions.Example, err error) {
	examples, err = permissions.Examples()
	return permissions.ExampleRules, examples, err
}

// OnlyRead is the table of shell commands that run without a question because they
// only read, for the documentation.
func OnlyRead() string { return permissions.OnlyRead() }
