package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"downbeat/cmd/internal/cli"
	"downbeat/cmd/internal/exit"
	"downbeat/internal/testkit/schematest"
)

// called runs the program with arguments: its code, its answer and what else it said.
func called(args ...string) (code exit.Code, out, stderr *bytes.Buffer) {
	out, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return cli.Main(args, strings.NewReader(""), out, stderr), out, stderr
}

// compiled is the schema of that name, as downbeat schema prints it, or a definition in it.
func compiled(t *testing.T, name, fragment string) *jsonschema.Schema {
	t.Helper()
	code, out, stderr := called("schema", name)
	if code != exit.Done {
		t.Fatalf("schema %s: %s", name, stderr)
	}
	return schematest.Compile(t, out.Bytes(), fragment)
}

// TestAnswersKeepTheirSchemas: what each command prints as JSON is valid under the schema of
// its answer and under that of all reports, and not under that of another command. It stands here,
// for the validator of schemas takes its time to start, which the scripts of package cli would pay
// with every command.
func TestAnswersKeepTheirSchemas(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plan, next := filepath.Join(dir, "plan.json"), filepath.Join(dir, "next.json")
	no := filepath.Join(dir, "no.proof")
	spare := filepath.Join(examples, "spare-slot.yaml")
	report := compiled(t, "report", "")
	for _, c := range []struct{ schema, args string }{
		{"plan", "plan FILE -o " + plan}, {"plan", "plan FILE --objective makespan --seed 2 -o " + next},
		{"plan", "plan NO"}, {"plan", "plan --relax NO"}, {"plan", "show FILE " + plan},
		{"show", "show FILE " + plan + " --next 5 --now 3"}, {"show", "show FILE " + plan + " --late"}, {"show", "plan FILE --late"}, {"show", "plan NO --relax --late"},
		{"check", "check FILE"}, {"check", "check NO"}, {"check", "check NO --soften south"}, {"check", "check FILE --each-slave-lost"},
		{"check", "check NO --certify --proof " + no}, {"verify-proof", "verify-proof NO " + no}, {"verify-proof", "proof trim NO " + no},
		{"size", "size FILE --class p1 --certify"}, {"plan", "plan FILE --certify --objective makespan"},
		{"size", "size FILE --class p1"}, {"size", "size NO --class oslo --class rome=1-2"}, {"size", "size NO --class oslo"},
		{"slack", "slack FILE"}, {"slack", "slack NO"},
		{"validate", "validate FILE " + plan}, {"validate", "validate NO " + plan},
		{"diff", "diff FILE " + plan + " " + next}, {"diff", "diff FILE " + plan + " " + plan},
		{"simulate", "simulate FILE --policy edf --trace"}, {"simulate", "simulate FILE --policy edf,llf --seeds 1-3 --durations uniform:0.5,1.5"},
	} {
		args := strings.Fields(strings.NewReplacer("FILE", spare, "NO", filepath.Join(examples, "two-changes.yaml")).Replace(c.args))
		code, out, stderr := called(append(args, "--format", "json")...)
		if code != exit.Done && code != exit.No {
			t.Errorf("%s: exit code %d, %s", c.args, code, stderr)
			continue
		}
		answer := schematest.Value(t, out.Bytes())
		if err := compiled(t, c.schema, "").Validate(answer); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		if err := report.Validate(answer); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		other := "slack"
		if c.schema == other {
			other = "size"
		}
		if compiled(t, other, "").Validate(answer) == nil {
			t.Errorf("%s is valid as an answer of %s", c.args, other)
		}
	}
	if _, err := os.Stat(next); err != nil {
		t.Fatal(err)
	}
}
