package jobfile

import (
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/document"
)

// reader has read a head, and gives the fields of the rest.
func reader(t *testing.T, src string) (*TimeReader, func(name string) document.Field) {
	t.Helper()
	r := &TimeReader{Reader: document.NewReader("job set", []byte(src)), JS: &model.JobSet{}}
	root := r.Parse(false, "")
	if root == nil {
		t.Fatal(r.Err("x.yaml"))
	}
	fields, _ := r.Mapping(document.Field{Value: root}, "the text")
	get := func(name string) document.Field {
		for _, f := range fields {
			if f.Key.Value == name {
				return f
			}
		}
		t.Fatalf("no %s", name)
		return document.Field{}
	}
	r.TimeUnit(get("time_unit"))
	r.Zone(get("zone"), true)
	r.Origin(get("origin"), true)
	return r, get
}

const head = "time_unit: 30m\norigin: 2026-10-24T20:00:00Z\nzone: Europe/Berlin\n"

// TestPoint reads points in time of the night in which clocks go back.
func TestPoint(t *testing.T) {
	for text, want := range map[string]model.Time{
		"7": 7, "2h": 4, "22:00": 0, "00:30": 5, "02:30": 9, "02:30+01:00": 11, "03:00": 12, "+1d 22:00": 50, "2026-10-25T02:00:00Z": 12,
	} {
		r, get := reader(t, head+"at: "+text+"\n")
		got, ok := r.Point(get("at"), "at", since{})
		if !ok || got != want {
			t.Errorf("%s: %d, want %d; %v", text, got, want, r.Err("x.yaml"))
		}
	}
	r, get := reader(t, head+"at: 22:00\n")
	if got, ok := r.Point(get("at"), "at", since{Tick: 0, After: true}); !ok || got != 50 {
		t.Errorf("22:00 after 22:00: %d", got)
	}
}

// TestStep: days are as long as they are, hours as long as ever. Tick 2 is 23:00, before
// clocks go back.
func TestStep(t *testing.T) {
	for text, want := range map[string][3]model.Time{"1d": {2, 52, 100}, "24h": {2, 50, 98}, "2d": {2, 100, 196}, "3": {2, 5, 8}} {
		r, get := reader(t, head+"every: "+text+"\n")
		step, ok := r.Step(get("every"), "every")
		for k, want := range want {
			if at, fine := r.Add(get("every"), "the time", 2, step, k); !ok || !fine || at != want {
				t.Errorf("%s, %d times: %d, want %d; %v", text, k, at, want, r.Err("x.yaml"))
			}
		}
	}
}

// TestTooFar: what the format cannot hold is a fault, not another time.
func TestTooFar(t *testing.T) {
	r, get := reader(t, head+"every: 40000d\nat: 9999-01-01T00:00:00Z\n")
	step, ok := r.Step(get("every"), "every")
	if at, fine := r.Add(get("every"), "the time", 2, step, 1_000_000); !ok || fine {
		t.Errorf("a time in millions of years: %d", at)
	}
	if at, fine := r.Point(get("at"), "at", since{}); fine {
		t.Errorf("the year 9999: %d", at)
	}
	if err := r.Err("x.yaml"); err == nil || strings.Count(err.Error(), "more than 1000000000 ticks of 30m after the origin") != 2 {
		t.Error(err)
	}
}
