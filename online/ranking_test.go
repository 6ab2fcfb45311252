package online_test

import (
	"cmp"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/online"
)

// sorter serves jobs in an order of its own and compares it with a ranking's at
// every heartbeat. Its keys are coarse, for ties, and depend on what is running,
// ready and left and on a figure that it changes itself.
type sorter struct {
	t       *testing.T
	ranking *online.Ranking[int]
	mood    map[*online.Job]int
	looked  int
}

func (s *sorter) Name() string        { return "sorter" }
func (s *sorter) Asks() online.Asking { return online.OnReady }

func (s *sorter) key(_ *online.View, j *online.Job) int {
	left := 0
	for k := range j.Spec().Stages {
		left += j.Left(k)
	}
	return (j.Running() + 2*j.ReadyTasks() + 4*left + s.mood[j]) % 3
}

func (s *sorter) Heartbeat(v *online.View, o *online.Offer) {
	if n := len(v.Active()); n > 0 {
		j := v.Active()[int(v.Now())%n]
		s.mood[j]++
		s.ranking.Renew(v, j)
	}
	for i := 0; i < len(v.Ready()) && !o.Full(); {
		s.compare(v)
		if g := o.Pick(v.Ready()[i]); g != nil {
			o.Give(g)
		} else {
			i++
		}
	}
}

func (s *sorter) compare(v *online.View) {
	want := slices.Clone(v.Ready())
	slices.SortStableFunc(want, func(a, b *online.Job) int { return cmp.Compare(s.key(v, a), s.key(v, b)) })
	var got []*online.Job
	for _, r := range s.ranking.Jobs(v) {
		got = append(got, r.Job)
		if k := s.key(v, r.Job); r.Key != k {
			s.t.Fatalf("at %d job %d is ranked by %d, is %d", v.Now(), r.Job.ID(), r.Key, k)
		}
	}
	if !slices.Equal(got, want) {
		s.t.Fatalf("at %d the order is %v, sorted it is %v", v.Now(), got, want)
	}
	s.looked++
}

// A ranking is what sorting anew comes to, failures and late stages included.
func TestRankingIsSorted(t *testing.T) {
	looked := 0
	for seed := range uint64(100) {
		js, opts := drawn(seed)
		s := &sorter{t: t, mood: map[*online.Job]int{}}
		s.ranking = online.NewRanking(s.key, cmp.Compare[int])
		out := run(t, js, s, opts)
		if slices.Contains(out.Finishes, model.Never) {
			t.Errorf("seed %d: some job did not finish", seed)
		}
		looked += s.looked
	}
	if looked < 1000 {
		t.Errorf("only %d looks", looked)
	}
}
