package workload

import (
	"math"

	"downbeat/model"
)

// Solar is a capacity that follows the sun: a constant part from the grid and
// a part that rises and falls once a day, dimmed by clouds. The slaves that the
// power does not reach are away; the last of the cluster leave first and come
// back last.
type Solar struct {
	// Grid is the share of slaves that are always there, 0 to 1. At least one
	// slave always is.
	Grid float64
	// Day is the number of control intervals from one night to the next, Clouds
	// how strongly clouds dim the sun (0: not at all).
	Day    int
	Clouds float64
	// Interval is the length of a control interval in ticks; capacity is
	// constant within one.
	Interval model.Time
}

func (c *Solar) params() []param {
	return []param{
		{name: "grid", help: "share of slaves powered by the grid, always there; 1 switches the sun off", value: real{&c.Grid, 0, 1}},
		{name: "day", help: "control intervals in a day", value: whole[int]{&c.Day, 1, 100_000}},
		{name: "clouds", help: "how strongly clouds dim the sun; 0 is a clear sky", value: real{&c.Clouds, 0, 100}},
		{name: "interval", help: "control interval in ticks, within which capacity is constant", value: whole[model.Time]{&c.Interval, 1, 1_000_000}},
	}
}

// persistence is the correlation of the clouds of neighbouring intervals.
const persistence = 0.7

// capacity is how many of the slaves are up in each of n intervals. The sun is
// a raised cosine, 0 at the start of a day and 1 in the middle; clouds follow a
// first-order autoregression with unit variance, and dim by exp(−Clouds·z)
// where z is positive.
func (c *Solar) capacity(slaves, n int, seed uint64) []int {
	up := make([]int, n)
	z := stream(seed, "clouds", 0).NormFloat64()
	for i := range up {
		if i > 0 {
			z = persistence*z + math.Sqrt(1-persistence*persistence)*stream(seed, "clouds", i).NormFloat64()
		}
		sun := (1 - math.Cos(2*math.Pi*float64(i)/float64(c.Day))) / 2
		share := c.Grid + (1-c.Grid)*sun*math.Exp(-c.Clouds*max(0, z))
		up[i] = max(1, int(math.Round(share*float64(slaves))))
	}
	return up
}

// darken sets the slaves' absences such that in interval i exactly up[i] of
// them are there.
func darken(slaves []model.Slave, up []int, interval model.Time) {
	for s := range slaves {
		for i, n := range up {
			if s >= n {
				at := model.Time(i) * interval
				slaves[s].Down = append(slaves[s].Down, model.Interval{Start: at, End: at + interval})
			}
		}
	}
}
