package durations_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/online"
	"downbeat/online/durations"
)

// What is read prints the same; what is none is told as it was written.
func TestParse(t *testing.T) {
	for _, text := range []string{"", "worst"} {
		if d, err := durations.Parse(text); d != nil || err != nil {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"uniform:0.5,1", "normal:0.9,0.3", "lognormal:-1,0.5", "stragglers:0.1,0.4",
		"uniform:0.8,1.5", "normal:1.2,0.3,2", "lognormal:0,0.5,100", "stragglers:0.1,0.9,3"} {
		if d, err := durations.Parse(text); err != nil || d.String() != text {
			t.Errorf("%q is read as %v, %v", text, d, err)
		}
	}
	for _, text := range []string{
		"uniform", "uniform:", "uniform:1", "uniform:0.5,0.4", "uniform:0,1", "uniform:0.5,101", "uniform:0.5,1,2", "uniform:a,b", "uniform:0.1,0.2,0.3",
		"normal:0,1", "normal:1.2,0.1", "normal:0.9,0.1,101", "lognormal:0,1,0", "lognormal:0,1,NaN", "stragglers:0.1,1,101", "stragglers:0.1,1,2,3", "normal:0.5,-1", "normal:NaN,1", "lognormal:0,-1", "lognormal:0,Inf",
		"stragglers:2,0.5", "stragglers:0.5,0", "gauss:0.5,0.1", "worst:1",
	} {
		if d, err := durations.Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, d)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) || !strings.Contains(err.Error(), "uniform:LO,HI") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Factors are above 0 and lie between the ends of their distribution, and are spread;
// package online tests means and deviations of what comes of them.
func TestFactors(t *testing.T) {
	for _, c := range []struct {
		d      online.Durations
		lo, hi float64
	}{
		{durations.Uniform{Lo: 0.5, Hi: 0.8}, 0.5, 0.8},
		{durations.Normal{Mean: 0.9, SD: 0.3, Cut: 1}, 0, 1},
		{durations.Lognormal{Mu: -1, Sigma: 0.5, Cut: 1}, 0, 1},
		{durations.Stragglers{Share: 0.1, Usual: 0.4, Slow: 1}, 0.4, 1},
		{durations.Uniform{Lo: 0.8, Hi: 1.5}, 0.8, 1.5},
		{durations.Normal{Mean: 1.2, SD: 0.3, Cut: 2}, 0, 2},
		{durations.Lognormal{Mu: 0, Sigma: 0.5, Cut: 3}, 0, 3},
		{durations.Stragglers{Share: 0.1, Usual: 0.9, Slow: 3}, 0.9, 3},
		{durations.Lognormal{Mu: 50, Sigma: 0.1, Cut: 1}, 1, 1}, // never within (0, 1]
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		least, most := math.Inf(1), 0.0
		for range 1000 {
			f := c.d.Factor(rng)
			least, most = min(least, f), max(most, f)
		}
		if least <= 0 || least < c.lo || most > c.hi || c.d.Most() != c.hi || c.lo < c.hi && most-least < (c.hi-c.lo)/2 {
			t.Errorf("%s: between %v and %v", c.d, least, most)
		}
	}
}
