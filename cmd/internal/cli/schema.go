package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/lab/reproduce"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/runlog"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
	"downbeat/model/files/trace"
	"downbeat/model/near"
	"downbeat/online/external"
)

// schema is a format that a JSON Schema is printed of.
type schema struct {
	name string
	text func() []byte
}

// schemas lists the formats: those of files, and the answer of each command.
func schemas() []schema {
	all := []schema{
		{"jobset", jobfile.Schema}, {"plan", planfile.Schema}, {"report", report.Schema}, {"log", runlog.Schema},
		{"policy", external.Schema}, {"journal", bench.JournalSchema}, {"pieces", journal.Schema}, {"bench", bench.SummarySchema}, {"cells", bench.CellsSchema}, {"data", bench.DataSchema},
		{"claims", reproduce.Schema}, {"table", trace.TableSchema},
	}
	for _, command := range report.Answers() {
		all = append(all, schema{command, func() []byte { return report.SchemaOf(command) }})
	}
	return all
}

func newSchemaCmd(io *terminal.Streams) *cobra.Command {
	all := schemas()
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of job sets, for editors, or of other formats",
		Long: `Print the JSON Schema of job sets, by which editors complete and check them; of
plan files; of what --format json prints, of any command (report) or of one; of a
line of what --log json writes; of the lines that downbeat exchanges with a program
that is a policy (exec:COMMAND); of a line of the journals that bench keeps, or that other
commands keep with --resume (pieces); of what
bench prints as JSON (bench), of the files of cells that it writes (cells), and of the
tables of its data package (data); of the claims that reproduce puts beside a report; or of a line of the tables that
import csv reads.`,
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
			_, err := io.Out.Write(all[i].text())
			return usage.Output(err)
		},
	}
}
