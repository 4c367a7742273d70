package shell

import (
	"reasonix/core/tool"
	"reasonix/sandbox"
)

// Foresee starts what holds the commands of a session, so that the first of them does
// not wait for it. It takes some milliseconds; what fails is for the command to tell.
func Foresee(env tool.Env) {
	b := bash{env: env}
	sandbox.Warm(env.Run, b.cmd(&launch{dir: env.Files.Dir()}, nil, nil))
}
