package inference

import (
	"fmt"
	"slices"
	"testing"

	"downbeat/model"
)

// RandomSteps draws a question about a tiny set and random steps, as the beginnings of proof files: of
// each the last line is the first that may not be in order.
func RandomSteps(t *testing.T, seed uint64, draws int) (js *model.JobSet, files []string) {
	s := drawSet(t, seed)
	if s == nil {
		return nil, nil
	}
	js = s.file()
	text := fmt.Sprintf("downbeat proof 1\ndigest %s\ntick %d\n", js.Digest(), s.tick)
	for j, gone := range s.gone {
		if gone {
			text += fmt.Sprintf("without %d\n", j)
		}
	}
	c := s.start()
	c.refuted = s.hopeless(c)
	for n, q := range append(slices.Clone(c.refuted), s.q) {
		text += fmt.Sprintf("question %d\n", n+1)
		for _, a := range q.jobs {
			text += fmt.Sprintf("%s %d %d\n", roleWords[a.role], a.job, a.by)
		}
		if n < len(c.refuted) {
			text += fmt.Sprintf("c 1 misses :\nrefuted %d 1\n", n+1)
		}
	}
	for _, o := range limited {
		if s.q.limits[o] != noLimit {
			text += fmt.Sprintf("%s %d\n", o.InProofs(), s.q.limits[o])
		}
	}
	s.attempt(c, draws, said{}, func(step string, accepted bool) {
		switch {
		case accepted:
			text += step + "\n"
		case s.rng.IntN(8) == 0:
			files = append(files, text+step+"\n")
		}
	})
	return js, append(files, text)
}

// hopeless are questions that contradict themselves.
func (s *set) hopeless(c *checker) (out []*question) {
	for range 5 {
		q := &question{limits: unlimited}
		for i := range s.js.Jobs {
			if s.rng.IntN(2) == 0 {
				q.jobs = append(q.jobs, asked{model.JobID(i), must, model.Time(s.rng.IntN(9))})
			}
		}
		if len(q.jobs) == 0 || refuses(c, q) {
			continue
		}
		st := c.newState(q)
		if st.root(); st.lost {
			out = append(out, q)
		}
	}
	return out
}
