package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench/cells"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/reproduce"
	"downbeat/cmd/internal/runlog"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/jobfile"
	"downbeat/model/near"
	"downbeat/model/planfile"
	"downbeat/online/external"
)

// schemas are the formats that a JSON Schema is printed of.
var schemas = []struct {
	name string
	text func() []byte
}{
	{"jobset", jobfile.Schema}, {"plan", planfile.Schema}, {"report", report.Schema}, {"log", runlog.Schema}, {"policy", external.Schema}, {"journal", cells.Schema}, {"claims", reproduce.Schema},
}

func init() {
	for _, command := range report.Answers() {
		schemas = append(schemas, struct {
			name string
			text func() []byte
		}{command, func() []byte { return report.SchemaOf(command) }})
	}
}

func newSchemaCmd(io *terminal.Streams) *cobra.Command {
	var names []string
	for _, s := range schemas {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of job sets, for editors, or of other formats",
		Long: `Print the JSON Schema of job sets, by which editors complete and check them; of
plan files; of what --format json prints; of a line of what --log json writes; or of
the lines that downbeat exchanges with a program that is a policy (exec:COMMAND); or
of a line of the journals that bench keeps; or of the claims that reproduce puts
beside a report.`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			name := names[0]
			switch len(args) {
			case 0:
			case 1:
				name = args[0]
			default:
				return usage.Errorf("one schema at a time, got %q and %q", args[0], args[1])
			}
			i := slices.Index(names, name)
			if i < 0 {
				return usage.Errorf("there is no schema %q%s", name, usage.Hint(near.Word(name, names), "there are "+strings.Join(names, ", ")))
			}
			_, err := io.Out.Write(schemas[i].text())
			return usage.Output(err)
		},
	}
}
