// Package usage has the faults of a call: flags, arguments and input files that
// no command can work with, in words that say what would do.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/terminal"
	"downbeat/model/near"
)

// Error is a fault of the call or of its input files. Its message is all that
// is printed.
type Error struct {
	err error
	// located tells that the text begins with the file that it is about.
	located bool
}

// Error implements error.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap gives the fault itself.
func (e *Error) Unwrap() error { return e.err }

// Message is what a program of that name prints.
func (e *Error) Message(program string) string {
	if e.located {
		return e.Error()
	}
	return program + ": " + e.Error()
}

// Errorf makes a fault of the call in the words given.
func Errorf(format string, args ...any) error {
	return &Error{err: fmt.Errorf(format, args...)}
}

// Located is a fault of an input whose text begins with file and line.
func Located(err error) error { return &Error{err, true} }

// Of makes an error that is not one yet a fault of the call; nil stays nil.
func Of(err error) error {
	var fault *Error
	if err == nil || errors.As(err, &fault) || terminal.Ended(err) {
		return err
	}
	return Errorf("%v", err)
}

// Output says that standard output cannot take the answer. A reader that has
// seen enough (head) is no fault.
func Output(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return Errorf("cannot write the answer: %v", err)
}

// Hint is the tail of a message about an unknown word: the suggestion, or, if
// that is empty, the list of what is known.
func Hint(suggestion, known string) string {
	if suggestion != "" {
		return fmt.Sprintf("; did you mean %q?", suggestion)
	}
	return "; " + known
}

// Strict makes a program, with its commands added, report what is wrong with a
// call as an [Error] and print nothing itself.
func Strict(root *cobra.Command) {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetFlagErrorFunc(flagError)
	// Cobra adds help and completion on its own, but only while executing:
	// by then the suggestions would miss them.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args, cmd.Run = knownCommand, help
		case "completion":
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, Group
			for _, shell := range cmd.Commands() {
				write := shell.RunE
				shell.RunE = func(cmd *cobra.Command, args []string) error { return Output(write(cmd, args)) }
			}
		}
	}
}

// Group is what a command does that only holds others: help, or the fault of
// an unknown one.
func Group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return Errorf("unknown command %q%s", args[0], Hint(near.Word(args[0], names), cmd.Root().Name()+" help lists the commands"))
}

// knownCommand demands that the arguments of help name a command.
func knownCommand(help *cobra.Command, args []string) error {
	found, rest, err := help.Root().Find(args)
	switch {
	case err != nil:
		return Errorf("%v", err)
	case len(rest) > 0 && found.IsAdditionalHelpTopicCommand():
		return knownInTopic(found, rest)
	case len(rest) > 0 && slices.Contains(found.ValidArgs, rest[0]):
		return nil // help on what a command takes is in the help of the command
	case len(rest) > 0:
		return Group(found, rest)
	}
	return nil
}

// knownInTopic demands that what follows a help topic is one of those that it can tell of by themselves.
func knownInTopic(topic *cobra.Command, rest []string) error {
	one := strings.Join(rest, " ")
	switch {
	case len(topic.ValidArgs) == 0:
		return ExactArgs()(topic, rest)
	case slices.Contains(topic.ValidArgs, one):
		return nil
	}
	path := topic.Root().Name() + " help " + topic.Name()
	return Errorf("%s has no %q%s", path, one, Hint(near.Word(one, topic.ValidArgs), path+" lists all"))
}

// help is that on a command, or on a topic and what is told of it: cobra's would leave the latter out.
func help(cmd *cobra.Command, args []string) {
	found, rest, _ := cmd.Root().Find(args) // knownCommand has found it
	found.InitDefaultHelpFlag()
	found.HelpFunc()(found, rest)
}

// Topics has the arguments of a call that names a help topic be those of help on it, as cobra checks none of a topic.
func Topics(root *cobra.Command, args []string) []string {
	if found, rest, err := root.Find(args); err == nil && found.IsAdditionalHelpTopicCommand() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return append([]string{"help"}, args...)
	}
	return args
}

// others are flags of other tools, the one that does the same here, and how to write it; and those of one of our
// commands, which others have in another way: with no flag.
var others = []struct{ name, flag, write string }{
	{"json", "format", "--format json"}, {"output-format", "format", "--format json"},
	{"yaml", "output", "-o FILE.yaml"}, {"csv", "output", "-o FILE.csv"},
	{"html", "gantt", "--gantt FILE.html"}, {"svg", "gantt", "--gantt FILE.svg"}, {"png", "gantt", "--gantt FILE.png"}, {"pdf", "gantt", "--gantt FILE.pdf"},
	{"silent", "quiet", "--quiet"}, {"verbose", "log", "--log text"}, {"debug", "log", "--log text"},
	{"workload", "", "its job sets as files by bench --workload NAME --write FOLDER, and name one of these"},
	{"timeout", "time-limit", "--time-limit 30s"}, {"threads", "workers", "--workers 2"}, {"nocolor", "no-color", "--no-color"},
}

// flagError turns a fault that the flag package finds into one of ours.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return Errorf("--%s: %s", invalid.GetFlag().Name, invalidValue(invalid))
	case !errors.As(err, &unknown):
		return Errorf("%v", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if args := cmd.Flags().Args(); len(args) > 0 && cmd.HasSubCommands() && cmd.RunE != nil && (len(names) <= 1 || !cmd.HasParent()) {
		return cmd.RunE(cmd, args) // of a group, which knows no flags of its own: the command is unknown, and so are its flags
	}
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return Errorf("unknown flag -%s; %s --help lists the flags", name, cmd.CommandPath())
	}
	for _, o := range others {
		if o.name == name && (o.flag == "" || slices.Contains(names, o.flag)) {
			return Errorf("unknown flag --%s; write %s", name, o.write)
		}
	}
	suggestion := near.Word(name, names)
	if suggestion != "" {
		suggestion = "--" + suggestion
	}
	return Errorf("unknown flag --%s%s", name, Hint(suggestion, cmd.CommandPath()+" --help lists the flags"))
}

// invalidValue says what a flag takes instead of the value given.
func invalidValue(err *pflag.InvalidValueError) string {
	switch err.GetFlag().Value.Type() {
	case "duration":
		return fmt.Sprintf("%q is no duration; write 30s, 2m or 1h30m", err.GetValue())
	case "int", "int64", "uint64":
		return fmt.Sprintf("%q is no whole number that fits", err.GetValue())
	case "float64":
		return fmt.Sprintf("%q is no number; write 2 or 0.5", err.GetValue())
	case "bool":
		return fmt.Sprintf("%q is neither true nor false", err.GetValue())
	default:
		return err.Unwrap().Error()
	}
}

// ExactArgs demands one argument for each name.
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch want := strings.Join(names, " "); {
		case len(args) < len(names):
			return Errorf("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names) && want == "":
			return Errorf("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
		case len(args) > len(names):
			return Errorf("%s takes only %s, got %q besides", cmd.CommandPath(), want, args[len(names)])
		}
		return nil
	}
}
