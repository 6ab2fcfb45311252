package model

import "testing"

// Between the points the share goes in a line; 100 % is the worst case.
func TestShare(t *testing.T) {
	q := Quantiles{{10, 4}, {50, 5}, {90, 9}}
	for percent, want := range map[float64]float64{0: 4, 10: 4, 30: 4.5, 50: 5, 70: 7, 90: 9, 95: 9.5, 100: 10} {
		if got := q.Share(percent, 10) * 10; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("at %g %%: %g ticks, want %g", percent, got, want)
		}
	}
	d := GroupDurations{Quantiles: q, Worst: 10}
	for _, c := range []struct {
		percent    float64
		wcet, want Time
	}{{10, 10, 4}, {30, 10, 5}, {50, 5, 3}, {100, 20, 20}, {0, 1, 1}} {
		if got := d.Length(c.percent, c.wcet); got != c.want {
			t.Errorf("at %g %% with a worst case of %d: %d, want %d", c.percent, c.wcet, got, c.want)
		}
	}
}

// Quantiles that make no sense are refused.
func TestQuantilesRefused(t *testing.T) {
	for _, q := range []Quantiles{{{100, 5}}, {{-1, 5}}, {{50, 0}}, {{50, 5}, {50, 6}}, {{10, 5}, {50, 4}}} {
		if q.check() == nil {
			t.Errorf("%v passes", q)
		}
	}
	if err := (Quantiles{{0, 1}, {99, 10}}).check(); err != nil {
		t.Error(err)
	}
}

// A set with durations has the digest of the set without: no plan rests on them.
func TestDurationsAreInNoDigest(t *testing.T) {
	set := func(q Quantiles) *JobSet {
		p := NewProfile(ConstRow(1, 10), ConstRow(1, 0))
		js := &JobSet{Heartbeat: 1, Slaves: []Slave{{Name: "a", Cores: 1, Slots: 1}}, Jobs: []Job{
			{Name: "j", Stages: []Stage{{Name: "s", Groups: []Group{{Count: 2, Profile: p}, {Count: 3, Profile: p, Durations: q}}}}},
		}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		return js
	}
	with, without := set(Quantiles{{50, 5}}), set(nil)
	if with.Digest() != without.Digest() {
		t.Error("durations are in the digest")
	}
	if d := with.Durations(); d[1] != nil || d[2] == nil || d[2] != d[4] || d[2].First != 2 || without.Durations() != nil {
		t.Errorf("durations by task: %v, %v", d, without.Durations())
	}
}
