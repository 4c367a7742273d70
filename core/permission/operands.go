package permission

import (
	"path"
	"slices"
	"strings"
)

// found is what a find removes.
func found(args []word) []operand {
	if !slices.ContainsFunc(args, func(w word) bool { return w.text == "-delete" }) {
		return nil
	}
	var roots []word
	for _, w := range args {
		if isOption(w) || w.text == "(" || w.text == "!" {
			break
		}
		roots = append(roots, w)
	}
	if len(roots) == 0 {
		roots = []word{{text: "."}}
	}
	return wholes(roots)
}

// scriptless are the operands of sed and its kin without their script.
func scriptless(args []word) (operands []word) {
	script := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !isOption(w):
			operands = append(operands, w)
		case strings.HasPrefix(w.text, "--"):
			if name, _, joined := strings.Cut(w.text, "="); oneOf(name, "--expression --file") {
				script = true
				if !joined {
					i++
				}
			}
		case strings.HasSuffix(w.text, "e") || w.text == "-f":
			script = true
			i++
		case strings.HasPrefix(w.text, "-e"):
			script = true
		}
	}
	if !script && len(operands) > 0 {
		return operands[1:]
	}
	return operands
}

// led are the targets of links as they are from where the link lies.
func led(operands []word) (list []operand) {
	if len(operands) < 2 {
		return nil
	}
	link := operands[len(operands)-1]
	for _, w := range operands[:len(operands)-1] {
		if w.dynamic || link.dynamic || isAbs(w.text) {
			continue
		}
		for _, dir := range [...]string{link.text, path.Dir(link.text)} {
			list = append(list, operand{word: word{text: path.Join(dir, w.text)}, leads: true, named: true})
		}
	}
	return list
}
