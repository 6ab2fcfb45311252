package inference_test

import (
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// TestSeries: plans of a set are plans of its series, in which each job is a sequence;
// the search's own series is the same one.
func TestSeries(t *testing.T) {
	merged, kept := 0, 0
	for seed := range testkit.Sets[uint64](150, 3000) {
		js := gen.TodayTiny(seed)
		series := inference.Series(js)
		if got, want := query.Series(js).Digest(), series.Digest(); got != want {
			t.Fatalf("seed %d: two series", seed)
		}
		for i := range series.Jobs {
			job, was := &series.Jobs[i], &js.Jobs[i]
			if !job.Chain() || len(job.After) > 0 || job.Due() != was.Due() || job.First != was.First || job.End != was.End {
				t.Fatalf("seed %d: job %d is no sequence of the same tasks", seed, i)
			}
			switch {
			case len(job.Stages) < len(was.Stages):
				merged++
			case !was.Chain():
				kept++
			}
		}
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		if err := check.Schedule(series, plan, true).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if merged < 20 {
		t.Errorf("%d jobs with stages made one, %d graphs that are sequences", merged, kept)
	}
}

// TestSeriesOfPlain: a set of sequences is its own series.
func TestSeriesOfPlain(t *testing.T) {
	js := gen.Tiny(1)
	if inference.Series(js) != js || query.Series(js) != js {
		t.Error("a set of sequences has another series")
	}
}
