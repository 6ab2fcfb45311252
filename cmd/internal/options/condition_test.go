package options_test

import (
	"strings"
	"testing"

	"downbeat/cmd/internal/options"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// conditioned has a job that recurs and one with a name that looks like a condition.
const conditioned = `version: 1
time_unit: 1m
origin: 2026-11-21T22:00:00Z
cluster: {heartbeat: 1, slaves: [{name: a}]}
jobs:
  - {name: etl, deadline: 60, hard: true, map: {tasks: 1, wcet: 9}}
  - {name: ads, deadline: 60, weight: 2, map: {tasks: 1, wcet: 9}}
  - {name: pulse, repeat: {every: 1h, times: 2}, deadline: 20, map: {tasks: 1, wcet: 9}}
  - {name: late(x), deadline: 60, map: {tasks: 1, wcet: 9}}
  - {name: log, map: {tasks: 1, wcet: 9}}
`

// Conditions speak of objectives and of jobs, in durations, by the clock and in ticks.
func TestConditions(t *testing.T) {
	js, err := jobfile.Load("jobs.yaml", []byte(conditioned))
	if err != nil {
		t.Fatal(err)
	}
	// etl 10m of slack, ads 40m late, pulse-1 in time to the minute, pulse-2 5m late, late(x) left out.
	finishes := []model.Time{50, 100, 20, 85, model.Never, 110}
	for text, want := range map[string]string{
		"misses>2":                 "misses is 4",
		" misses = 4 ":             "misses is 4",
		"misses!=4":                "",
		"hard-misses>0":            "",
		"tardiness>39m":            "tardiness is 40m",
		"tardiness>39m59.9s":       "tardiness is 40m",
		"tardiness>40m":            "",
		"tardiness>=40":            "tardiness is 40m",
		"tardiness==40":            "tardiness is 40m",
		"weighted-tardiness>1h24m": "weighted-tardiness is 1h25m",
		"makespan>23:49":           "makespan is 23:50",
		"makespan>1h50m":           "",
		"makespan>109":             "makespan is 23:50",
		"makespan > +1d 00:00":     "",
		"late(ads)":                "ads is 40m late",
		"late( ads ) > 40m":        "",
		"late(ads)>=40m":           "ads is 40m late",
		"late(etl)":                "",
		"late(etl)<1m":             "etl is 0s late",
		"late(pulse)":              "pulse-2 is 5m late",
		"late(pulse-1)":            "",
		"slack(etl)<10m":           "",
		"slack(etl)<=10m":          "etl has 10m of slack",
		"slack(etl)<11":            "etl has 10m of slack",
		"slack(ads)<1m":            "ads is 40m late",
		"slack(pulse)<1m":          "pulse-1 has 0s of slack",
		"late(late(x))":            "late(x) is left out",
		"slack(late(x))<1m":        "late(x) is left out",
		"slack(late(x))>1m":        "",
	} {
		var f options.Conditions
		if err := f.Set(text); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		checks, err := f.Of(js)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, holds := checks[0].Holds(js, finishes)
		if holds != (want != "") || holds && got != want {
			t.Errorf("%s: %t, %s; want %s", text, holds, got, want)
		}
	}
	for text, want := range map[string]string{
		"misses":             "write an objective, a relation and a value",
		"misses>":            "write an objective",
		"misses>>2":          "write an objective",
		"late()>2":           "write an objective",
		"miss>0":             `"miss" is no objective; did you mean misses?`,
		"fame>0":             `"fame" is no objective; there are misses, `,
		"slack(etl)":         "slack(etl)<10m",
		"misses>2m":          `misses>2m: "2m" is no whole number`,
		"misses>-1":          `"-1" is no whole number`,
		"tardiness>soon":     `"soon" is no length of time; write a duration, like 10m, or ticks`,
		"tardiness>23:00":    `"23:00" is no length of time`,
		"makespan>25:00":     `"25:00" is not a time`,
		"late(etk)":          `"etk" is no job; did you mean etl?`,
		"slack(log)<10m":     "job log has no deadline",
		"late(etl)>1h hence": `"1h hence" is no length of time`,
	} {
		var f options.Conditions
		err := f.Set(text)
		if err == nil {
			_, err = f.Of(js)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
	}
	var f options.Conditions
	if err := f.Set("late(etl)"); err != nil {
		t.Fatal(err)
	}
	checks, err := f.Of(js)
	if err != nil {
		t.Fatal(err)
	}
	rest := js.Subset([]model.JobID{1, 2})
	if got, holds := checks[0].Holds(rest, finishes[1:3]); !holds || got != "etl is left out" {
		t.Errorf("of a rest without the job: %t, %s", holds, got)
	}
}

// Without a unit there are ticks alone.
func TestConditionsInTicks(t *testing.T) {
	js, err := jobfile.Load("jobs.yaml", []byte(strings.NewReplacer("time_unit: 1m\n", "", "origin: 2026-11-21T22:00:00Z\n", "", "every: 1h", "every: 60").Replace(conditioned)))
	if err != nil {
		t.Fatal(err)
	}
	var f options.Conditions
	for _, text := range []string{"tardiness>30", "late(ads)>39"} {
		if err := f.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	checks, err := f.Of(js)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []string{"tardiness is 40", "ads is 40 ticks late"} {
		if got, holds := checks[k].Holds(js, []model.Time{50, 100, 20, 80, 60, 110}); !holds || got != want {
			t.Errorf("%t, %s; want %s", holds, got, want)
		}
	}
	if err := f.Set("late(ads)>30m"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Of(js); err == nil || !strings.Contains(err.Error(), "late(ads)>30m: 30m is a duration, but the job set has no time_unit; write ticks") {
		t.Errorf("a duration without a unit: %v", err)
	}
}
