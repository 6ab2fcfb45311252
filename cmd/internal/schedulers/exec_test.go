package schedulers

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/online"
	"downbeat/online/external"
)

func TestExec(t *testing.T) {
	for spec, want := range map[string]string{
		"exec": "exec needs a command, as in exec:python3 my_policy.py", "exec:": "exec:: the command is empty",
		"exec:a 'b": "is not closed", "edv": `did you mean "edf"?`, "exec:a b": "", "edf": "",
	} {
		p, err := (&Exec{}).New(spec, 1)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) || want == "" && (err != nil || p.Name() != spec) {
			t.Errorf("%q: %v", spec, err)
		}
	}
}

// What a program does wrong is told from what a policy of ours does.
func TestTheirs(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("simulating: %w", &external.Fault{}), true},
		{&online.StarvedError{Policy: "exec:a"}, true},
		{&online.StarvedError{Policy: "edf"}, false},
		{fmt.Errorf("the plan is not valid"), false},
	} {
		if new(Exec).Theirs(c.err) != c.want {
			t.Errorf("%v", c.err)
		}
	}
}
