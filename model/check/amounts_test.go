package check

import (
	"strings"
	"testing"

	"downbeat/model"
)

// A sentence that counts tasks says what they need where that is another number.
func TestExcessOfUnitsInWords(t *testing.T) {
	js, _ := rowOfTasks(t, 3, 4, 4)
	c := newChecker(js)
	c.attempts = []attempt{{task: 0}, {task: 1}, {task: 2}}
	c.addExcess(0, js.Supplies(0)[0], Excess{Interval: model.Interval{Start: 4, End: 6}, Peak: 5, PeakAt: 4, Owners: []int32{0, 1}})
	if want := "runs 2 tasks that need 5 cores at once in [4, 6), it has 4 cores: "; !strings.Contains(c.violations[0].Message, want) {
		t.Errorf("%q does not hold %q", c.violations[0].Message, want)
	}
}
