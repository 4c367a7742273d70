// Package repocheck holds the tests that keep the repository in shape: which
// package may import which (the table in imports_test.go is the architecture's
// table of contents), the fences around libraries, registration as the only
// init, a doc on every package, the fixed top level, and what tests must not do.
// It reads source with go/parser, never through the build, so that files for
// every system are seen. It has no code of its own; `make check` runs it.
package repocheck
