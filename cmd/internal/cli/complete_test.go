package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/options"
)

const night = `version: 1
cluster: {heartbeat: 1, slaves: [{name: big, count: 2}, {name: odd}]}
jobs:
  - {name: etl, map: {tasks: 1, wcet: 1}}
  - {name: ads, map: {tasks: 1, wcet: 1}}
`

// program has a command with a flag of each sort.
func program() *cobra.Command {
	root := &cobra.Command{Use: "tool"}
	cmd := &cobra.Command{Use: "play FILE PLAN", Run: func(*cobra.Command, []string) {}}
	f := cmd.Flags()
	for _, name := range []string{"drop", "deadline", "without", "slave", "count", "class", "job", "policy", "compare", "hunt", "explain", "from", "cluster", "into", "other"} {
		f.String(name, "", "")
	}
	f.String("gantt", "", "draw it to this file: .svg, .png or .pdf; may be repeated")
	f.String("table", "", "write the table to this file, .csv: a line to each policy")
	f.String("output", "", "write it to this file, which must not be there, packed where it ends in .gz")
	f.String("write", "", "write all to this folder, and no more")
	f.StringArray("workload", nil, "")
	f.String("sweep", "", "")
	f.Var(&options.OneOf{Known: []string{"text", "json"}}, "format", "")
	f.Var(&options.Objectives{}, "objective", "")
	f.Var(&options.Names{Known: []string{"misses", "makespan"}}, "measure", "")
	root.AddCommand(cmd)
	for _, use := range []string{"stop", "size FILE --class CLASS[=FROM-TO]", "log LOG", "docs DIR", "report [JOURNAL|FOLDER]...", "solution FILE FORMULA ANSWER"} {
		root.AddCommand(&cobra.Command{Use: use, Run: func(*cobra.Command, []string) {}})
	}
	registerCompletions(root)
	return root
}

// What a shell is told of a call that is begun.
func TestRegister(t *testing.T) {
	file := filepath.Join(t.TempDir(), "night.yaml")
	if err := os.WriteFile(file, []byte(night), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ call, want string }{
		{"play ", "yaml yml json :8"},
		{"play FILE ", "json yaml csv :8"},
		{"play FILE PLAN ", ":4"},
		{"stop ", ":4"},
		{"play FILE --drop ", "ads etl :4"},
		{"play --drop e", ":4"}, // no job set yet
		{"play none.yaml --drop e", ":4"},
		{"play FILE --deadline e", "etl= :6"},
		{"play FILE --without big", "big big-1 big-2 :6"},
		{"play FILE --slave big", "big big-1 big-2 :4"},
		{"play FILE --count ", "big= odd= :6"},
		{"play FILE --class ", "big odd :6"},
		{"play FILE --policy edf,fif", "edf,fifo :6"},
		{"play FILE --explain real", "realtime :6"},
		{"play FILE --job e", "etl :4"},
		{"play FILE --policy rtmr:ord", "rtmr:order= :6"},
		{"play FILE --compare edf,rds:wa", "edf,rds:wait= :6"},
		{"play FILE --hunt fif", "fifo :4"},
		{"play FILE --explain tiny:none", ":6"},
		{"play FILE --explain small:slaves=3,tas", "small:slaves=3,tasks= :6"},
		{"play --workload small --sweep tas", "tasks= :6"},
		{"play --workload examples/workloads/mi", "yaml yml json :8"},
		{"play --workload nothing --sweep jo", ":6"},
		{"size FILE ", ":4"},
		{"log ", "jsonl :8"},
		{"docs ", ":16"},
		{"report ", "jsonl :8"},
		{"report a b ", "jsonl :8"},
		{"solution FILE ", "cnf wcnf opb :8"},
		{"solution FILE FORMULA ", ":0"},
		{"play FILE --gantt ", "svg png pdf :8"},
		{"play FILE --table ", "csv :8"},
		{"play FILE --output ", ":0"},
		{"play FILE --write ", ":16"},
		{"play FILE --into ", ":16"},
		{"play FILE --from ", "json yaml csv :8"},
		{"play FILE --cluster ", ":0"},
		{"play FILE --format ", "json text :4"},
		{"play FILE --objective misses,m", "misses,makespan misses,misses :6"},
		{"play FILE --measure ma", "makespan :6"},
		{"play FILE --other ", ":4"},
	} {
		var out bytes.Buffer
		root := program()
		root.SetOut(&out)
		root.SetErr(&bytes.Buffer{})
		root.SetArgs(append([]string{cobra.ShellCompRequestCmd}, strings.Split(strings.ReplaceAll(test.call, "FILE", file), " ")...))
		if err := root.Execute(); err != nil {
			t.Errorf("%s: %v", test.call, err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != test.want {
			t.Errorf("%s: %q, not %q", test.call, got, test.want)
		}
	}
}
