package shell

import "reasonix/core/tool"

// Interpreter is the path of the program commands would run in under set. The
// error says why there is none.
func Interpreter(set tool.Settings) (string, error) {
	in, err := choose(set)
	if err != nil {
		return "", err
	}
	return in.path, nil
}
