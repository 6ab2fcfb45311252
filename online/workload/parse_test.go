package workload

import (
	"regexp"
	"strings"
	"testing"

	"downbeat/model"
)

func TestParseFaults(t *testing.T) {
	for spec, wants := range map[string][]string{
		"":                        {`unknown workload ""`, "there are: rtmr1, rtmr2"},
		"rtmr3":                   {`unknown workload "rtmr3"`, `did you mean "rtmr1"?`},
		"real":                    {`did you mean "realtime"?`},
		"RTMR1":                   {`did you mean "rtmr1"?`},
		"zzzzzzzzz":               {`unknown workload "zzzzzzzzz"; there are`},
		"rtmr1:job=3":             {"workload rtmr1", `unknown parameter "job"`, `did you mean "jobs"?`},
		"rtmr1:sed=3":             {`did you mean "seed"?`},
		"rtmr1:jobs":              {`"jobs" is not of the form name=value`},
		"rtmr1:jobs=3,,gap=1":     {`"" is not of the form name=value`},
		"rtmr1:jobs=3,jobs=4":     {"parameter jobs is given twice"},
		"rtmr1:jobs=zero":         {"jobs=zero: want a whole number from 1 to 100000"},
		"rtmr1:jobs=0":            {"jobs=0: want a whole number from 1"},
		"rtmr1:jobs=1e3":          {"want a whole number"},
		"rtmr1:seed=-1":           {"seed=-1: want a whole number from 0 to 2^64-1"},
		"rtmr1:gap=NaN":           {"gap=NaN: want a number from 0 to 10000"},
		"rtmr1:platform=garantee": {"want realistic or guarantee", `did you mean "guarantee"?`},
		"rtmr1:fetch=both":        {"want exclusive or concurrent"},
		"rtmr1:stagger=maybe":     {"want true or false"},
		"rtmr1:weight=3..1":       {"weight=3..1: want a range such as 1..1 with whole ends from 1 to 1000000 in order"},
		"rtmr1:weight=1..":        {"weight=1..: want a range"},
		"rtmr1:replicas=31":       {"replicas=31, but only 30 slaves can hold them"},
		"rtmr1:large=0,small=0":   {"large and small are both 0"},
		"maxweight:alpha=.1":      {"gamma=0.2 is above alpha=0.1"},
		"maxweight:data=0":        {"replicas=3, but only 0 slaves can hold them"},
		"maxweight:service=fixed": {"service=fixed: want mean or geometric"},
		"rds:shortshare=0,mediumshare=0,largeshare=0": {"are all 0"},
		"rds-case:grain=3":                            {"grain=3 does not divide", "want 1, 2, 5 or 10"},
		"realtime:deadline=0.5..2":                    {"deadline=0.5..2: want a range such as 0.25..1 with ends from 0 to 1 in order"},
		"realtime:deadline=NaN":                       {"deadline=NaN: want a range"},
		"realtime:utilisation=2":                      {"5 streams of at most 1 make only 5", "want more streams or a higher limit"},
		"realtime:local=5":                            {"local=5 is above remote=3"},
		"swim":                                        {"file= is missing"},
		`swim:file="a" b`:                             {`after file="a" stands "b"; want a comma or the end`},
		"family:name=tigth":                           {`did you mean "tight"?`},
		"tiny:tasks=3":                                {`unknown parameter "tasks"`, "there are: seed"},
	} {
		w, err := Parse(spec)
		if err == nil {
			t.Errorf("%q was read as %+v", spec, w)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q:\n%v\nsays nothing of %q", spec, err, want)
			}
		}
	}
}

func TestParseValues(t *testing.T) {
	w := parse(t, ` swim : file = "a, \"b\".tsv" , jobs=7, deadline=2 ,weight=2..9,seed=18446744073709551615`)
	g := w.Generator().(*SWIM)
	if g.File != `a, "b".tsv` || g.Jobs != 7 || g.Deadline != (Span{2, 2}) || g.Weight != (Range{2, 9}) || w.seed != 1<<64-1 {
		t.Errorf("read %+v, seed %d", g, w.seed)
	}
	if again := parse(t, written(w)); *again.Generator().(*SWIM) != *g {
		t.Errorf("%s is read as %s", written(w), written(again))
	}
	if g := parse(t, `swim:file=C:\x=y.tsv`).Generator().(*SWIM); g.File != `C:\x=y.tsv` {
		t.Errorf("file %q", g.File)
	}
}

// A preset counts first wherever it stands, so that it takes back nothing.
func TestPresets(t *testing.T) {
	g := parse(t, "rtmr1:heartbeat=5,platform=guarantee").Generator().(*RTMR)
	if g.Heartbeat != 5 || !g.SpareCores {
		t.Errorf("heartbeat %d, spare cores %t", g.Heartbeat, g.SpareCores)
	}
	for spec, want := range map[string]string{
		"rtmr1": "realistic", "rtmr1:platform=guarantee": "guarantee", "rtmr1:platform=guarantee,heartbeat=5": "own",
	} {
		w := parse(t, spec)
		if got := w.Parameters()[0]; got.Name != "platform" || got.Value != want {
			t.Errorf("%s shows %s=%s, want %s", spec, got.Name, got.Value, want)
		}
		if strings.Contains(written(w), "platform=") {
			t.Errorf("%s writes its preset: %s", spec, written(w))
		}
	}
}

// Every parameter of every workload says what it means and what it takes, with the unit
// where it is a time, and takes the value that it has. Explain asks for no more than the name.
func TestExplain(t *testing.T) {
	unit := regexp.MustCompile(`\b(ticks|seconds|minutes|ms|day)\b`)
	for _, info := range List() {
		e, err := Explain(info.Name)
		if err != nil || e.Info != info || e.Parameters[len(e.Parameters)-1].Name != "seed" {
			t.Fatalf("%s: %v, %+v", info.Name, err, e)
		}
		for _, p := range e.Parameters {
			if p.Help == "" || p.Takes == "" {
				t.Errorf("%s: %+v", info.Name, p)
			}
			if p.Value == "own" {
				continue // no preset
			}
			if _, err := Explain(info.Name + ":" + p.Name + "=" + p.Value); err != nil {
				t.Errorf("%s does not take its own value: %v", info.Name, err)
			}
		}
		for _, e := range catalog() {
			if e.Name != info.Name {
				continue
			}
			for _, p := range e.make().params() {
				if _, isTime := p.value.(whole[model.Time]); isTime && !unit.MatchString(p.help) {
					t.Errorf("%s: %s has no unit: %s", info.Name, p.name, p.help)
				}
			}
		}
	}
	e, err := Explain("realtime:streams=9,seed=4")
	if err != nil || e.Parameters[2] != (Parameter{"streams", "9", "number of periodic jobs", "a whole number from 1 to 1000"}) || e.Parameters[len(e.Parameters)-1].Value != "4" {
		t.Errorf("%v: %+v", err, e)
	}
	for _, bad := range []string{"realtme", "realtime:streams=0", "realtime:stream=1"} {
		if _, err := Explain(bad); err == nil {
			t.Errorf("%s is explained", bad)
		}
	}
}
