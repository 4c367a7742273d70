// Package config is what reasonix was told: the Config struct, the layers it is
// put together from, where every value came from, and edits that change one key
// of a file and nothing else.
//
// The layers are flag > REASONIX_* environment > project reasonix.toml >
// <home>/config.toml > built-in defaults. Viper decides fixed keys; tables whose
// names belong to the user (providers, model overrides, headers) never pass
// through it, because it would fold their case. One table of keys (Keys) feeds
// validation, the example file, the documentation and shell completion.
//
// Provider keys live in <home>/.env alone. A project file always narrows what a
// run may do; what it widens is split into parts (see Part), each of which counts
// only when the user granted it (Input.Granted). Nothing is half-loaded: a broken
// file is an *Error with its place. Files are written only by Edit, AppendRule,
// Change.Write and StoreKey, in one step each. The package reads no environment of
// its own; commands and wire hand it an Input.
package config
