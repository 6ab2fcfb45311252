package rds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// plain is a track whose progress is the slots that it has, with work and width
// to spare.
func plain(steps, moves int, size float64, ref ...float64) track {
	o := Defaults()
	o.LagsY, o.LagsU = 0, 0
	t := track{progress: newNARX(&o, size).predict(steps, moves, [kinds]float64{}), ref: ref, size: size}
	for range ref {
		t.weight = append(t.weight, 1)
	}
	t.left, t.width = [kinds]float64{1000, 0}, [kinds]float64{1000, 0}
	return t
}

func TestMovesByHand(t *testing.T) {
	two := []track{plain(1, 1, 10, 4), plain(1, 1, 10, 3)}
	free := []float64{1e-9, 1e-9, 1e-9}
	tests := []struct {
		name string
		h    horizon
		want []float64 // map slots by track, then move
	}{
		{
			// (u−4)² + u² and (v−3)² + v² are least at 2 and 1.5.
			"a move costs as much as it brings",
			horizon{tracks: two, capacity: []float64{5}, p: []float64{1}, q: []float64{1}},
			[]float64{2, 1.5},
		},
		{
			// Together 3: 4u = 8 − λ, 4v = 6 − λ, so λ = 1.
			"capacity is shared by the shortfall",
			horizon{tracks: two, capacity: []float64{3}, p: []float64{1}, q: []float64{1}},
			[]float64{1.75, 1.25},
		},
		{
			// Interval by interval nothing can be done about 2 at the second
			// step, and nothing is done ahead.
			"intervals by themselves do not work ahead",
			horizon{tracks: []track{plain(2, 2, 1, 4, 4)}, capacity: []float64{9, 2}, p: free[:2], q: free[:2]},
			[]float64{4, 2},
		},
		{
			// (x−4)² + (x+2−8)² is least at x = 5: one ahead, one short.
			"progress since now works ahead of scarcity",
			horizon{tracks: []track{plain(2, 2, 1, 4, 4)}, capacity: []float64{9, 2}, p: free[:2], q: free[:2], cumulative: true},
			[]float64{5, 2},
		},
		{
			// The last move lasts for two steps, of which the second has 1.
			"the last move must fit all steps that it lasts",
			horizon{tracks: []track{plain(3, 2, 1, 4, 4, 4)}, capacity: []float64{9, 9, 1}, p: free[:2], q: free[:2]},
			[]float64{4, 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.h.moves()
			if u == nil {
				t.Fatal("unsolved")
			}
			var got []float64
			for _, plan := range u {
				for _, move := range plan {
					got = append(got, move[0])
				}
			}
			if !allClose(got, tt.want, 1e-6) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMovesWithoutWork(t *testing.T) {
	h := horizon{capacity: []float64{3}, p: []float64{1}, q: []float64{1}}
	h.tracks = []track{plain(1, 1, 10, 4)}
	h.tracks[0].left = [kinds]float64{}
	if u := h.moves(); u == nil || u[0][0] != [kinds]float64{} {
		t.Errorf("got %v", u)
	}
}

// value is J(t) of Eq. 3 as the paper writes it, by stepping through the plan;
// err tells which limit the plan breaks.
func (h *horizon) value(u [][][kinds]float64) (sum float64, err error) {
	const slack = 1e-6
	last := len(h.p) - 1
	for i, most := range h.capacity {
		all, kind := 0.0, [kinds]float64{}
		for j := range h.tracks {
			for k, v := range u[j][min(i, last)] {
				if v < 0 || v > h.tracks[j].width[k]+slack || v > 0 && min(i, last) < h.tracks[j].from[k] {
					return 0, fmt.Errorf("track %d has %g of kind %d in step %d", j, v, k, i)
				}
				all += v
				kind[k] += v
			}
		}
		if all > most+slack || h.pools != nil && (kind[0] > h.pools[0][i]+slack || kind[1] > h.pools[1][i]+slack) {
			return 0, fmt.Errorf("capacity of step %d", i)
		}
	}
	for j := range h.tracks {
		t := &h.tracks[j]
		before, ahead, used := t.before, 0.0, [kinds]float64{}
		for i := range h.capacity {
			y := t.progress[i][0]
			for m, move := range u[j] {
				y += t.progress[i][1+m*kinds]*move[0] + t.progress[i][2+m*kinds]*move[1]
			}
			ahead += y - t.ref[i]
			if !h.cumulative {
				ahead = y - t.ref[i]
			}
			sum += t.weight[i] * (ahead / t.size) * (ahead / t.size)
			now := u[j][min(i, last)]
			if i <= last {
				dm, dr := (now[0]-before[0])/t.size, (now[1]-before[1])/t.size
				sum += h.p[i]*dm*dm + h.q[i]*dr*dr
			}
			before = now
			used[0], used[1] = used[0]+now[0], used[1]+now[1]
		}
		if used[0] > t.left[0]+slack || used[1] > t.left[1]+slack {
			return 0, fmt.Errorf("track %d uses %v of %v", j, used, t.left)
		}
	}
	return sum, nil
}

// The moves keep every limit, and no other plan that does is better: tried on
// plans all over and on plans close by.
func TestMovesAreBest(t *testing.T) {
	tried := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		h := randomHorizon(r)
		u := h.moves()
		if u == nil {
			t.Fatalf("seed %d: unsolved", seed)
		}
		best, err := h.value(u)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for range 60 {
			other := disturbed(r, u)
			value, err := h.value(other)
			if err != nil {
				continue
			}
			tried++
			if value < best-1e-6*(1+math.Abs(best)) {
				t.Fatalf("seed %d: %v has value %g, but %v has %g", seed, u, best, other, value)
			}
		}
	}
	if tried < 2000 {
		t.Errorf("only %d other plans were within limits", tried)
	}
}

func disturbed(r *rand.Rand, u [][][kinds]float64) [][][kinds]float64 {
	scale := math.Pow(10, -3*r.Float64())
	out := make([][][kinds]float64, len(u))
	for j := range u {
		out[j] = make([][kinds]float64, len(u[j]))
		for i := range u[j] {
			for k, v := range u[j][i] {
				if r.IntN(2) == 0 {
					v = max(0, v*(1-scale*r.Float64())+scale*float64(r.IntN(2))*r.NormFloat64())
				}
				out[j][i][k] = v
			}
		}
	}
	return out
}

func randomHorizon(r *rand.Rand) *horizon {
	o := Defaults()
	moves := 1 + r.IntN(3)
	steps := moves + r.IntN(2)
	h := &horizon{cumulative: r.IntN(2) == 0}
	for range moves {
		h.p, h.q = append(h.p, 0.01+r.Float64()/10), append(h.q, 0.01+r.Float64()/10)
	}
	var pools [kinds][]float64
	for range steps {
		c := 10 * r.Float64()
		h.capacity = append(h.capacity, c)
		pools[0], pools[1] = append(pools[0], c*r.Float64()), append(pools[1], c*r.Float64())
	}
	if r.IntN(2) == 0 {
		h.pools = &pools
	}
	for range 1 + r.IntN(4) {
		size := 1 + 20*r.Float64()
		o.Rules = randomRules(r, variables(o.LagsY, o.LagsU))
		before := [kinds]float64{2 * r.Float64(), r.Float64()}
		t := track{progress: newNARX(&o, size).predict(steps, moves, before), size: size, before: before}
		for range steps {
			t.ref, t.weight = append(t.ref, 3*r.Float64()), append(t.weight, math.Pow(10, 2*r.Float64()))
		}
		t.left = [kinds]float64{size * r.Float64(), float64(r.IntN(2)) * size * r.Float64()}
		t.width = [kinds]float64{1 + 9*r.Float64(), 1 + 9*r.Float64()}
		t.from = [kinds]int{0, r.IntN(steps + 1)}
		h.tracks = append(h.tracks, t)
	}
	return h
}
