package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// common is what all flags of a name say where they do not say the same in all commands:
// what they do is one thing, to what they do it depends on the command.
var common = map[string]string{
	"at-most":     "to keep",
	"budget":      "search after this much work, counted in constructions of a plan, in place of a time limit: the same ",
	"certify":     "check",
	"command":     "what runs a task, in the shell's language",
	"into":        "folder",
	"shard":       ": I/N; 0/N is N/N",
	"figure-size": "width and height of ",
	"gantt":       " to this file",
	"memory":      " that would take more memory than this",
	"mtbf":        "mean time until a machine fails, in ticks",
	"mttr":        "mean time until a machine that failed is back, in ticks",
	"objective":   "", // in several words: what to minimise, or to look at
	"origin":      "tick 0 ",
	"output":      "write ",
	"plot":        "draw ",
	"image":       "container image",
	"policy":      "policies",
	"relax":       "hard ",
	"seed":        "number that fixes ",
	"seeds":       ", or 3,7,10-19",
	"sets":        "how many job sets to draw, ",
	"time-limit":  " long",
	"workers":     " side by side, 0 for one per core",
	"write":       " to this folder, ",
}

// apart are flags that mean something else, or take something else, in one command than in
// all others.
var apart = map[string]string{
	"budget of cube":      "that of each cube, not of the whole",
	"script of plan":      "for Slurm alone",
	"format of check":     "annotations for pipelines as well",
	"format of plan":      "annotations for pipelines as well",
	"format of validate":  "annotations for pipelines as well",
	"now of show":         "nothing is planned from then on",
	"deadline of import":  "a rule for jobs of a trace that have none",
	"objective of log":    "one of those that the log has",
	"output of reproduce": "a folder, for a report is one",
	"join of plan":        "a folder of cubes, without a job set",
	"resume of bench":     "its pieces are job sets, and the journal grows",
	"write of airflow":    "what is written, not where",
	"job of dbt":          "the one that is the project",
	"zone of executed":    "that of the job set if not given",
	"slave of ics":        "what is written, not what is next",
	"pool of import":      "a size that the source does not say",
	"queue of kueue":      "a LocalQueue, in which nothing is reserved",
	"pool of size":        "what is to be sized as well, where no amount is given",
}

// takes is the type of a flag's values, the same for one of them and for several.
func takes(f *pflag.Flag) string { return strings.TrimSuffix(f.Value.Type(), "Array") }

// A flag of the same name means the same in all commands: it takes the same values, has the
// same short form, and says what it does in the same words, but for what it does it to.
func TestFlagsMeanTheSame(t *testing.T) {
	type use struct {
		*pflag.Flag
		command string
	}
	first := map[string]use{}
	seen := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			phrase, varies := common[f.Name]
			here := f.Name + " of " + cmd.Name()
			switch one, known := first[f.Name]; {
			case f.Name == "help":
			case apart[here] != "":
				seen[here] = true
			case varies && !strings.Contains(f.Usage, phrase):
				t.Errorf("%s: %q, without %q", here, f.Usage, phrase)
			case !known:
				first[f.Name] = use{f, cmd.Name()}
			case takes(f) != takes(one.Flag) || f.Shorthand != one.Shorthand:
				t.Errorf("%s takes %s (-%s), that of %s %s (-%s)", here, takes(f), f.Shorthand, one.command, takes(one.Flag), one.Shorthand)
			case !varies && f.Usage != one.Usage:
				t.Errorf("%s: %q, that of %s: %q", here, f.Usage, one.command, one.Usage)
			case varies && f.Usage != one.Usage:
				seen[f.Name] = true
			}
		})
		for _, c := range cmd.Commands() {
			if c.Name() != "completion" { // not ours
				walk(c)
			}
		}
	}
	s, _, _ := fakeStreams("")
	walk(newRootCmd(s))
	for name := range common {
		if !seen[name] {
			t.Errorf("--%s says the same everywhere", name)
		}
	}
	for name := range apart {
		if !seen[name] {
			t.Errorf("there is no flag %s", name)
		}
	}
}

// Wherever a flag names a job, a slave or a class, shells are told those of FILE.
func TestCompletionKnowsTheJobSet(t *testing.T) {
	file := filepath.Join(root, "examples", "two-clash.yaml")
	want := map[string]string{
		"drop": "etl", "soften": "etl", "job": "etl", "deadline": "etl=", "margin": "etl=",
		"without": "node-1", "slave": "node-1", "count": "node=", "class": "node", "policy": "edf",
	}
	told := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			word := want[f.Name]
			if word == "" || apart[f.Name+" of "+cmd.Name()] != "" {
				return
			}
			told++
			s, out, stderr := fakeStreams("")
			call := append(strings.Fields(cmd.CommandPath())[1:], file, "--"+f.Name, "")
			if run(t.Context(), s, append([]string{cobra.ShellCompNoDescRequestCmd}, call...)); !slices.Contains(strings.Fields(out.String()), word) {
				t.Errorf("%v: no %s in %s%s", call, word, out, stderr)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	s, _, _ := fakeStreams("")
	walk(newRootCmd(s))
	if told < 40 {
		t.Errorf("only %d flags name something of a job set", told)
	}
}
