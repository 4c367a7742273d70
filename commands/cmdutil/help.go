package cmdutil

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

const exitCodesKey = "exit-codes"

// MayExit says which exit codes of ExitCodes cmd can return beside 0, 1, 2 and 3,
// for its help. Without a call help lists those four.
func MayExit(cmd *cobra.Command, codes ...int) {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = strconv.Itoa(c)
	}
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[exitCodesKey] = strings.Join(words, " ")
}

// ExitCodesOf returns the exit codes of cmd in ascending order.
func ExitCodesOf(cmd *cobra.Command) []ExitCode {
	extra := strings.Fields(cmd.Annotations[exitCodesKey])
	return slices.DeleteFunc(ExitCodes(), func(e ExitCode) bool {
		return e.Code > CodeConfig && !slices.Contains(extra, strconv.Itoa(e.Code))
	})
}

// PrintHelp writes the help of cmd: what it does, how to call it, its commands,
// examples, flags and exit codes. It stands in for Cobra's template, which would
// link text/template and with it every exported method of the program.
func PrintHelp(w io.Writer, cmd *cobra.Command) {
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\n", strings.TrimSpace(about))
	PrintUsage(w, cmd)
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.Trim(cmd.Example, "\n"))
	}
	printFlags(w, cmd)
	fmt.Fprint(w, "\nExit codes:\n")
	for _, e := range ExitCodesOf(cmd) {
		fmt.Fprintf(w, "  %-4d %s\n", e.Code, e.Meaning)
	}
}

// PrintUsage writes the synopsis of cmd and the list of its commands.
func PrintUsage(w io.Writer, cmd *cobra.Command) {
	fmt.Fprint(w, "Usage:\n")
	children := visible(cmd)
	if len(children) == 0 || cmd.Annotations[groupKey] == "" {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if len(children) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s <command> [flags]\n\nCommands:\n", cmd.CommandPath())
	width := 0
	for _, c := range children {
		width = max(width, len(c.Name()))
	}
	for _, c := range children {
		fmt.Fprintf(w, "  %-*s  %s\n", width, c.Name(), c.Short)
	}
}

const groupKey = "group"

// Group makes cmd a noun that only holds verbs: alone it prints its help, and a
// word that is none of its commands is a usage error with the nearest name.
func Group(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[groupKey] = "true"
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func unknownCommand(cmd *cobra.Command, word string) error {
	var names []string
	for _, c := range visible(cmd) {
		names = append(append(names, c.Name()), c.Aliases...)
	}
	hint := "run '" + cmd.CommandPath() + " --help' for the list of commands"
	if near := Nearest(word, names); near != "" {
		hint = "did you mean '" + cmd.CommandPath() + " " + near + "'?"
	}
	return WithHint(Usagef("unknown command %q for %q", word, cmd.CommandPath()), hint)
}

func printFlags(w io.Writer, cmd *cobra.Command) {
	if f := cmd.LocalFlags(); f.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", f.FlagUsages())
	}
	if f := cmd.InheritedFlags(); f.HasAvailableFlags() {
		fmt.Fprintf(w, "\nGlobal flags:\n%s", f.FlagUsages())
	}
}

// visible returns the commands help shows, in the order of their names.
func visible(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() && c.Name() != "help"
	})
}
