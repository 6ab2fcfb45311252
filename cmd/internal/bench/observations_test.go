package bench

import (
	"fmt"
	"testing"

	"downbeat/online"
)

// recordsOf are records of one policy, of sets with these names, digests and seeds.
func recordsOf(sets ...[3]string) []*Record {
	var out []*Record
	for _, s := range sets {
		rec := &Record{Set: s[0], Digest: s[1]}
		for i := range s[2] {
			rec.Cells = append(rec.Cells, Cell{Seed: uint64(s[2][i] - '0'), Policy: "p", Measures: online.Measures{Misses: int64(s[2][i])}})
		}
		out = append(out, rec)
	}
	return out
}

func TestObservations(t *testing.T) {
	same := recordsOf([3]string{"a.yaml", "d", "123"})
	for i := range same[0].Cells {
		same[0].Cells[i].Misses = 5
	}
	for _, c := range []struct {
		name    string
		records []*Record
		want    string
	}{
		{"sets of their own", recordsOf([3]string{"w:seed=1", "d1", "1"}, [3]string{"w:seed=2", "d2", "2"}), "[]"},
		{"one set, seeds that tell", recordsOf([3]string{"a.yaml", "d", "123"}), "[]"},
		{"one set that comes out alike", same, "[0 0 0]"},
		{"two names of one set", recordsOf([3]string{"a.yaml", "d", "1"}, [3]string{"b.yaml", "d", "1"}), "[0 0]"},
		{"files with seeds", recordsOf([3]string{"a.yaml", "d1", "12"}, [3]string{"b.yaml", "d2", "12"}), "[0 0 1 1]"},
		{"levels of a sweep", recordsOf([3]string{"w:u=1,seed=1", "d1", "1"}, [3]string{"w:u=1,seed=2", "d2", "2"},
			[3]string{"w:u=2,seed=1", "d3", "1"}, [3]string{"w:u=2,seed=2", "d4", "2"}), "[0 1 0 1]"},
		{"a workload that does not draw beside one that does", recordsOf([3]string{"v:seed=1", "d", "1"}, [3]string{"v:seed=2", "d", "2"},
			[3]string{"w:seed=1", "d1", "1"}, [3]string{"w:seed=2", "d2", "2"}), "[0 0 1 2]"},
		{"a path is not a seed", recordsOf([3]string{"x,seed=1.yaml", "d1", "1"}, [3]string{"y,seed=1.yaml", "d2", "1"}), "[]"},
	} {
		if got := fmt.Sprint(observations(runsOf(c.records, "p"))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	list := func(records []*Record) string {
		parameter, several, parts := parts(records)
		text := fmt.Sprintf("%q %v", parameter, several)
		for _, p := range parts {
			text += fmt.Sprintf("; %s %v ×%d", p.workload, p.level, len(p.records))
		}
		return text
	}
	at := func(level float64, parameter string, rec *Record) *Record {
		rec.Level, rec.Parameter = level, parameter
		return rec
	}
	one := func(set string) *Record { return &Record{Set: set} }
	for want, records := range map[string][]*Record{
		`"" false`:                  {one("w:seed=1"), one("w:seed=2"), nil},
		`"u" false; w 1 ×1; w 2 ×2`: {at(2, "u", one("w:u=2,seed=1")), at(1, "u", one("w:u=1,seed=1")), at(2, "u", one("w:u=2,seed=2"))},
		`"" true; w NaN ×1; v NaN ×1; sets/ NaN ×2`:    {one("w:seed=1"), one("v:seed=1"), one("sets/a.yaml"), one("sets/b.yaml")},
		`"u" true; w:n=1 1 ×1; w:n=1 2 ×1; w:n=2 1 ×1`: {at(1, "u", one("w:n=1,u=1,seed=1")), at(2, "u", one("w:n=1,u=2,seed=1")), at(1, "u", one("w:n=2,u=1,seed=1"))},
		`"" true; w:u=1 NaN ×1; v:l=2 NaN ×1`:          {at(1, "u", one("w:u=1,seed=1")), at(2, "l", one("v:l=2,seed=1"))},
	} {
		if got := list(records); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
