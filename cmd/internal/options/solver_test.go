package options

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/solve/event"
)

// What a search tells shows in a few words.
func TestProgress(t *testing.T) {
	if (&Solver{}).observer(nil) != nil {
		t.Error("somebody is told although nobody watches")
	}
	bound := int64(2)
	misses := []model.ObjectiveValue{{Name: "misses", Value: 5, Bound: &bound}}
	for _, test := range []struct {
		now  event.Event
		want string
	}{
		{event.Event{}, ""},
		{event.Event{Phase: "searching", HavePlan: true}, "searching · have a plan"},
		{event.Event{Phase: "searching", HavePlan: true, Objectives: misses}, "searching · misses 5, bound 2, gap 3"},
		{event.Event{Objectives: misses}, "misses ≥ 2"},
		{event.Event{HavePlan: true, Objectives: []model.ObjectiveValue{{Name: "tardiness", Value: 90, Bound: &bound}, {Name: "makespan", Value: 90}}}, "tardiness 1h30m, bound 2m, gap 1h28m · makespan 23:30"},
		{event.Event{HavePlan: true, Objectives: []model.ObjectiveValue{{Name: "makespan", Value: 90, Bound: &bound}}}, "makespan 23:30, bound 22:02, gap 1h28m"},
		{event.Event{Objectives: []model.ObjectiveValue{{Name: "misses"}}}, "misses"},
		{event.Event{HavePlan: true, Objectives: []model.ObjectiveValue{{Name: "misses", Value: 5}}}, "misses 5"},
	} {
		if got := progressText(clock.Clock{Unit: time.Minute, Origin: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC)}, test.now); got != test.want {
			t.Errorf("%+v: %q, not %q", test.now, got, test.want)
		}
	}
}

// A time limit that a call names is the one that it has; only where none is named there may be patience.
func TestPatience(t *testing.T) {
	defer func(was time.Duration) { Patience = was }(Patience)
	Patience = 1000
	for _, named := range []bool{false, true} {
		var o Solver
		cmd := &cobra.Command{}
		o.AddFlags(cmd)
		if named {
			if err := cmd.Flags().Set("time-limit", defaultTimeLimit.String()); err != nil {
				t.Fatal(err)
			}
		}
		_, stop := o.Limit(t.Context())
		stop()
		if left := o.Left(); (left <= defaultTimeLimit) != named {
			t.Errorf("named %v: %v are left", named, left)
		}
	}
}
