package cmdutil

import (
	"errors"
	"fmt"
	"os"
)

// The process's exit codes. A turn's outcome, an error's ExitCode method and the
// help texts all use these.
const (
	CodeOK       = 0
	CodeInternal = 1
	CodeUsage    = 2
	CodeConfig   = 3
	CodeProvider = 4
	CodeLimit    = 5
	CodeCut      = 6
	CodeDenied   = 7
	CodeSIGINT   = 130
	CodeSIGTERM  = 143
)

// ExitCode is one line of the table that help prints.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists every exit code in ascending order.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{CodeOK, "done"},
		{CodeInternal, "internal error"},
		{CodeUsage, "usage: unknown command or flag, bad argument, a session that is open elsewhere"},
		{CodeConfig, "configuration or credentials"},
		{CodeProvider, "the provider failed after retries, or stalled"},
		{CodeLimit, "a limit was reached: steps, cost, time, progress, context"},
		{CodeCut, "the reply was cut by the output limit, or refused"},
		{CodeDenied, "a call was denied because nobody could be asked"},
		{CodeSIGINT, "interrupted (SIGINT)"},
		{CodeSIGTERM, "terminated (SIGTERM, SIGHUP, SIGQUIT)"},
	}
}

// ExitError is an error with an exit code. A nil Err means that the command has
// said everything itself: commands.Main exits with Code and prints nothing.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the wrapped error's text.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the wrapped error.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode returns the code.
func (e *ExitError) ExitCode() int { return e.Code }

// Exit gives err an exit code. Exit(0, nil) is nil; Exit(code, nil) exits
// without a message.
func Exit(code int, err error) error {
	if code == CodeOK && err == nil {
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// Usage marks err as a mistake of the caller (exit 2). Usage(nil) is nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return Exit(CodeUsage, err)
}

// Usagef is Usage of a formatted error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// CodeOf returns the exit code of err: 0 for nil, that of the outermost error in
// the chain with an `ExitCode() int` method, else 1. Packages that may not
// import this one declare the method on their own error types.
func CodeOf(err error) int {
	if err == nil {
		return CodeOK
	}
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	var held interface{ OpenElsewhere() bool }
	if errors.As(err, &held) && held.OpenElsewhere() {
		return CodeUsage
	}
	return CodeInternal
}

type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }
func (h *hinted) Hint() string  { return h.hint }

// WithHint adds one line that says what to do about err. WithHint(nil, _) is nil.
func WithHint(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return &hinted{err, hint}
}

// HintOf returns the hint of the outermost error in the chain that has a
// `Hint() string` method, or "".
func HintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// SignalError is the cause of a context that a signal cancelled.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "stopped by " + e.Signal.String() }

// ExitCode follows the shells: 128 plus the signal's number.
func (e *SignalError) ExitCode() int {
	if e.Signal == os.Interrupt {
		return CodeSIGINT
	}
	return CodeSIGTERM
}

// Reason is the short code a Cancel carries: sigint or sigterm.
func (e *SignalError) Reason() string {
	if e.Signal == os.Interrupt {
		return "sigint"
	}
	return "sigterm"
}
