package slash

import (
	_ "embed"

	"reasonix/core/protocol"
)

//go:embed init.md
var initText string

//go:embed review.md
var reviewText string

// Builtins are the commands that need nothing but this table, by name. Commands that
// report on something are added by whoever knows it.
func Builtins() []Command {
	list := []Command{
		{Name: "clear", Kind: KindFront, Help: "Start over with an empty conversation; this one is not kept", Confirm: "Discard this conversation? It will not be kept."},
		{Name: "compact", Hint: "[focus]", Kind: KindOp, Help: "Make the conversation smaller now; focus says what to keep", Op: compact},
		{Name: "effort", Hint: efforts, Kind: KindOp, Help: "Change how much the model thinks; auto is the model's own", Op: effort},
		{Name: "export", Hint: "[file]", Kind: KindFront, Help: "Write the conversation to a file"},
		{Name: "fork", Kind: KindFront, Help: "Go on in a copy of this session"},
		{Name: "init", Hint: "[focus]", Kind: KindText, Help: "Look at the project and write AGENTS.md for agents that work in it", Text: template(initText)},
		{Name: "mode", Hint: modes, Kind: KindOp, Help: "Change how calls are approved, how sparing the work is, or the working mode", Op: mode},
		{Name: "model", Hint: "<provider/model>", Kind: KindOp, Help: "Change the model, from the next turn on", Op: model},
		{Name: "new", Kind: KindFront, Help: "Start a new session; this one is kept"},
		{Name: "quit", Kind: KindFront, Help: "End the program"},
		{Name: "resume", Hint: "[session]", Kind: KindFront, Help: "Go on with an earlier session"},
		{Name: "review", Hint: "[what]", Kind: KindText, Help: "Review the changes of the working tree, or what you name", Text: template(reviewText)},
		{Name: "rewind", Kind: KindFront, Help: "Go back to an earlier message, with the files or without"},
	}
	for i := range list {
		list[i].Source = SourceBuiltin
	}
	return list
}

// A UsageError is a command without an argument that it needs.
type UsageError struct{ Name, Hint string }

func (e *UsageError) Error() string { return "usage: /" + e.Name + " " + e.Hint }

func compact(args string) (protocol.Op, error) { return protocol.Compact{Focus: args}, nil }

func model(args string) (protocol.Op, error) {
	if args == "" {
		return nil, &UsageError{"model", "<provider/model>"}
	}
	return protocol.Configure{Model: &args}, nil
}

// efforts are the words that /effort takes.
const efforts = "<effort|auto>"

// effort takes auto and default for the model's own, which has no name.
func effort(args string) (protocol.Op, error) {
	switch args {
	case "":
		return nil, &UsageError{"effort", efforts}
	case "auto", "default":
		args = ""
	}
	return protocol.Configure{Effort: &args}, nil
}

// modes are the words that /mode takes.
const modes = "<ask|auto|yolo|economy|balanced|normal>"

// mode gives a word to the setting that it belongs to. What a word nobody knows means
// the session says.
func mode(args string) (protocol.Op, error) {
	switch args {
	case "":
		return nil, &UsageError{"mode", modes}
	case "ask", "auto", "yolo":
		return protocol.Configure{Approval: &args}, nil
	case "economy", "balanced":
		return protocol.Configure{WorkMode: &args}, nil
	}
	return protocol.Configure{Mode: &args}, nil
}
