package cli

import (
	"errors"
	"fmt"
	"strings"

	"downbeat/model/near"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// hint is the tail of a message about an unknown word: the suggestion, or the
// list of what is known.
func hint(suggestion, known string) string {
	if suggestion != "" {
		return fmt.Sprintf("; did you mean %q?", suggestion)
	}
	return "; " + known
}

// flagError turns the flag package's faults into ours.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return usagef("--%s: %s", invalid.GetFlag().Name, invalidValue(invalid))
	case !errors.As(err, &unknown):
		return usagef("%v", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return usagef("unknown flag -%s; %s --help lists the flags", name, cmd.CommandPath())
	}
	suggestion := near.Word(name, names)
	if suggestion != "" {
		suggestion = "--" + suggestion
	}
	return usagef("unknown flag --%s%s", name, hint(suggestion, cmd.CommandPath()+" --help lists the flags"))
}

// invalidValue says what a flag takes instead of the value given.
func invalidValue(err *pflag.InvalidValueError) string {
	switch err.GetFlag().Value.Type() {
	case "duration":
		return fmt.Sprintf("%q is no duration; write 30s, 2m or 1h30m", err.GetValue())
	case "int", "uint64":
		return fmt.Sprintf("%q is no whole number that fits", err.GetValue())
	case "bool":
		return fmt.Sprintf("%q is neither true nor false", err.GetValue())
	default:
		return err.Unwrap().Error()
	}
}

// exactArgs demands one argument for each name.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch want := strings.Join(names, " "); {
		case len(args) < len(names):
			return usagef("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names) && want == "":
			return usagef("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
		case len(args) > len(names):
			return usagef("%s takes only %s, got %q besides", cmd.CommandPath(), want, args[len(names)])
		}
		return nil
	}
}
