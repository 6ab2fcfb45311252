package policies

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/workload"
)

// Training changes what RDS does, in the same way each time, and its faults are
// those of the policy.
func TestTraining(t *testing.T) {
	js, err := workload.NewRDS().Generate(2)
	if err != nil {
		t.Fatal(err)
	}
	play := func(spec string) *online.Outcome {
		p, err := New(spec, 1)
		if err != nil {
			t.Fatal(err)
		}
		out, err := online.Play(context.Background(), js, p, online.Options{Seed: 1, Durations: durations.Uniform{Lo: 0.4, Hi: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain, trained := play("rds:interval=600"), play("rds:interval=600,training=rds")
	if again := play("rds:interval=600,training=rds"); !reflect.DeepEqual(trained.Schedule, again.Schedule) {
		t.Error("training does not repeat")
	}
	if reflect.DeepEqual(plain.Schedule, trained.Schedule) {
		t.Error("training changes nothing")
	}
	for spec, want := range map[string]string{
		"rds:training=rdss":                     `policy rds: training=rdss: unknown workload "rdss", did you mean "rds"?`,
		"rds:training=tiny:interval=3":          `unknown parameter "interval"`,
		"rds:training=tiny,interval=1000000000": "training=tiny: no samples to train on",
		"rds:training=rds,margin=-1":            "margin=-1: want a number",
	} {
		if _, err := New(spec, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", spec, err, want)
		}
	}
}
