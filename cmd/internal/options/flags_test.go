package options_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"downbeat/cmd/internal/options"
	"downbeat/model/files/jobfile"
)

// flagsByName makes a flag of each kind.
var flagsByName = map[string]func() pflag.Value{
	"one of":     func() pflag.Value { return &options.OneOf{Value: "text", Known: []string{"text", "json", "csv"}} },
	"objectives": func() pflag.Value { return &options.Objectives{} },
	"limits":     func() pflag.Value { return &options.Limits{} },
	"size":       func() pflag.Value { return &options.Size{} },
	"names":      func() pflag.Value { return &options.Names{Known: []string{"held", "local"}, Noun: "measure"} },
	"old names": func() pflag.Value {
		return &options.Names{Known: []string{"held"}, Noun: "measure", Today: func(s string) string { return strings.ReplaceAll(s, "kept", "held") }}
	},
}

// What is taken prints the same, up to spaces; of what is not, a message tells why or
// what there is.
func TestSet(t *testing.T) {
	for _, c := range []struct{ flag, text, want, fault string }{
		{"one of", "json", "json", ""},
		{"one of", "jsn", "", `did you mean "json"?`},
		{"one of", "picture", "", "known are text, json and csv"},
		{"old names", "kept", "held", ""},
		{"objectives", "misses, tardiness", "misses,tardiness", ""},
		{"objectives", "tardines", "", `did you mean "tardiness"?`},
		{"objectives", "fame", "", "known are misses, "},
		{"objectives", "misses,misses", "", `"misses" is named twice`},
		{"limits", "misses=3,makespan= 70", "misses=3,makespan=70", ""},
		{"limits", "tardiness=29m,makespan=+1d 04:00", "tardiness=29m,makespan=+1d 04:00", ""},
		{"limits", "tardiness=23:00", "", `"23:00" is no time for tardiness to stay below; write a duration, like 10m, or ticks`},
		{"limits", "makespan=soon", "", "write a clock time, like 23:30, a duration, like 90m, or ticks"},
		{"limits", "misses=2m", "", "no whole number"},
		{"limits", "misses", "", "write misses=3"},
		{"limits", "fame=3", "", "known are misses, "},
		{"limits", "misses=-1", "", "no whole number"},
		{"limits", "misses=9223372036854775807", "", "no whole number"},
		{"limits", "misses=1,misses=2", "", `"misses" is bounded twice`},
		{"size", "2GB", "2 GB", ""},
		{"size", "much", "", "much"},
		{"names", "local, held", "local,held", ""},
		{"names", "locl", "", `unknown measure "locl"; did you mean "local"?`},
		{"names", "fame", "", "known are held, local"},
	} {
		v := flagsByName[c.flag]()
		before := v.String()
		err := v.Set(c.text)
		switch {
		case c.fault == "" && (err != nil || v.String() != c.want):
			t.Errorf("%s %q: %q, %v", c.flag, c.text, v, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s %q: %v, not %s", c.flag, c.text, err, c.fault)
		case c.fault != "" && c.flag != "limits" && v.String() != before:
			t.Errorf("%s %q: refused, and the value is %q now", c.flag, c.text, v)
		}
		if v.Type() == "" {
			t.Errorf("%s has no type", c.flag)
		}
	}
}

// Bounds that are times are read by the job set, down to whole ticks.
func TestLimitsByTheClock(t *testing.T) {
	js, err := jobfile.Load("jobs.yaml", []byte(conditioned))
	if err != nil {
		t.Fatal(err)
	}
	var v options.Limits
	if err := v.Set("misses=3,tardiness=29m59s,weighted-tardiness=7,makespan=+1d 04:00"); err != nil {
		t.Fatal(err)
	}
	bounds, err := v.Of(js)
	if err != nil || fmt.Sprint(bounds) != "[{misses 3} {tardiness 29} {weighted-tardiness 7} {makespan 360}]" {
		t.Errorf("%v, %v", bounds, err)
	}
	js.TimeUnit = 0
	if _, err := v.Of(js); err == nil || err.Error() != "tardiness=29m59s: 29m59s is a duration, but the job set has no time_unit; write ticks" {
		t.Errorf("without a unit: %v", err)
	}
}

// A bound may be given in several flags, but not twice.
func TestLimitsAddUp(t *testing.T) {
	var v options.Limits
	if err := v.Set("misses=3"); err != nil {
		t.Fatal(err)
	}
	if err := v.Set("makespan=70"); err != nil || v.String() != "misses=3,makespan=70" {
		t.Errorf("%s, %v", &v, err)
	}
	if v.Set("misses=3") == nil {
		t.Error("misses are bounded twice")
	}
}
