package policies

import (
	"reflect"
	"strings"
	"testing"

	"downbeat/online"
	"downbeat/online/rtmr"
)

func TestRTMRParameters(t *testing.T) {
	for spec, want := range map[string]online.Policy{
		"rtmr":                   rtmr.New(rtmr.Default()),
		"rtmr:feedback=no":       rtmr.New(rtmr.Options{Delta: rtmr.TypicalMap}),
		"rtmr:delta=5,order=llf": rtmr.New(rtmr.Options{Order: rtmr.LLF, Feedback: true, Delta: 5}),
		"rtmr:keep=yes,reserve=printed,beat=no,learn=yes": rtmr.New(rtmr.Options{
			Feedback: true, Delta: rtmr.TypicalMap, Keep: true, Reserve: rtmr.Printed, NoBeat: true, Learning: rtmr.Learning{Learn: true}}),
		"rtmr:reserve=strict":          rtmr.New(rtmr.Options{Feedback: true, Delta: rtmr.TypicalMap, Reserve: rtmr.Strict}),
		"dc:learn=blocks,reducecost=2": rtmr.DeadlineConstraint(rtmr.DeadlineOptions{Learning: rtmr.Learning{Learn: true, Blocks: true, Cost: [2]float64{0, 2}}}),
		"dc":                           rtmr.DeadlineConstraint(rtmr.DeadlineOptions{}),
		"dc:beat=no,reduces=running":   rtmr.DeadlineConstraint(rtmr.DeadlineOptions{NoBeat: true, RunningOnly: true}),
	} {
		if got, err := New(spec, 1); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", spec, got, err, want)
		}
	}
	for spec, want := range map[string]string{
		"rtmr:order=lfl":  "order=lfl: want edf or fifo or llf",
		"rtmr:delta=soon": "delta=soon: want a whole number",
		"rtmr:delta=-1":   "delta=-1: want a whole number",
		"dc:order=edf":    `unknown parameter "order"`,
	} {
		if _, err := New(spec, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", spec, err, want)
		}
	}
}
