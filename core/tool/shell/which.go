package shell

import "reasonix/core/tool"

// Interpreter names the program commands would run in under set, such as
// "bash (/usr/bin/bash)". The error says why there is none.
func Interpreter(set tool.Settings) (string, error) {
	in, err := choose(set)
	if err != nil {
		return "", err
	}
	return in.String(), nil
}
