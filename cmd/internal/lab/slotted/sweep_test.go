package slotted

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
)

// smallSweep is the paper's sweep on a cluster of 60 machines.
func smallSweep(t *testing.T) Sweep {
	t.Helper()
	c := smallConfig(t)
	c.Batches, c.SampleEvery = 8, 100
	return Sweep{Config: c, Loads: []float64{5, 20, 30, 39}, Policies: []Policy{MaxWeight, NaiveFair}, Seed: 3, Workers: 1}
}

// The results do not depend on the number of workers, nor on the other loads,
// and every run is told of once.
func TestSweepWorkers(t *testing.T) {
	s := smallSweep(t)
	want, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{0, 2, 3, 20} {
		s.Workers = workers
		told := map[Policy]map[float64]int{MaxWeight: {}, NaiveFair: {}}
		s.Done = func(r Result) { told[r.Policy][r.Load]++ }
		got, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers give other results", workers)
		}
		for _, c := range got {
			for i, r := range c.Points {
				if r.Load != s.Loads[i] || r.Policy != c.Policy || told[c.Policy][r.Load] != 1 {
					t.Errorf("%v: point %d is of %v at %g, told %d times", c.Policy, i, r.Policy, r.Load, told[c.Policy][r.Load])
				}
			}
		}
	}
	s.Loads = s.Loads[2:3]
	part, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range part {
		if !reflect.DeepEqual(part[i].Points[0], want[i].Points[2]) {
			t.Errorf("%v alone at load %g gives another result", part[i].Policy, s.Loads[0])
		}
	}
}

// What the paper claims, in small: where MaxWeight is stable naive fair sharing
// is not, and no throughput is above the capacity.
func TestSweepShape(t *testing.T) {
	s := smallSweep(t)
	s.Config.Slots = 20_000
	curves, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	capacity, err := Capacity(s.Config.System)
	if err != nil {
		t.Fatal(err)
	}
	for i, load := range s.Loads {
		jsq, naive := curves[0].Points[i], curves[1].Points[i]
		if jsq.Trend == Grows || (naive.Trend == Grows) != (load >= 25) {
			t.Errorf("load %g of %g: %v (%v) under jsq+maxweight, %v (%v) under naive fair sharing", load, capacity, jsq.Trend, jsq.Growth, naive.Trend, naive.Growth)
		}
		if jsq.Throughput.Mean > capacity || naive.Throughput.Mean > capacity {
			t.Errorf("load %g: throughput %v and %v above the capacity %g", load, jsq.Throughput, naive.Throughput, capacity)
		}
	}
}

// A sweep ends with the context, and with the first error of a run.
func TestSweepFails(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := smallSweep(t)
	s.Workers = 2
	s.Done = func(Result) { cancel() }
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled sweep returned %v", err)
	}
	s = smallSweep(t)
	s.Config.Batches = 0
	if curves, err := s.Run(context.Background()); err == nil || curves != nil {
		t.Errorf("a sweep without batches returned %v, %v", curves, err)
	}
	s = smallSweep(t)
	s.Loads = []float64{-1}
	if _, err := s.Run(context.Background()); err == nil {
		t.Error("a sweep of negative loads ran")
	}
}

// The figures' sweep is the paper's.
func TestFigures(t *testing.T) {
	sizes, err := Bins(FacebookBins())
	if err != nil {
		t.Fatal(err)
	}
	s := Figures(sizes, 1, 2)
	if err := s.Config.Check(); err != nil {
		t.Fatal(err)
	}
	if n := s.Config.Warmup + s.Config.Slots; n < 300_000 || s.Config.Slots != 250_000 {
		t.Errorf("%d slots, %d of them measured", n, s.Config.Slots)
	}
	if len(s.Loads) != 12 || s.Loads[11] != 670 || len(s.Policies) != 2 || s.Config.System.Machines != 1000 {
		t.Errorf("%d machines, loads %v, policies %v", s.Config.System.Machines, s.Loads, s.Policies)
	}
}

// The turning point lies before the first load whose job delay is too long, also
// if the curve comes back later; a delay that no job lived to see counts.
func TestTurn(t *testing.T) {
	curve := func(delays ...float64) Curve {
		var c Curve
		for i, d := range delays {
			c.Points = append(c.Points, Result{Load: float64(i + 1), JobDelay: Estimate{Mean: d}})
		}
		return c
	}
	for _, test := range []struct {
		curve  Curve
		load   float64
		turned bool
	}{
		{curve(3, 4, 6, 6.1), 3, true},
		{curve(3, 7, 3), 1, true},
		{curve(3, 4, math.NaN()), 2, true},
		{curve(3, 4, 5), 3, false},
	} {
		if load, turned := test.curve.Turn(2); load != test.load || turned != test.turned {
			t.Errorf("turning at %g (%v), want %g (%v)", load, turned, test.load, test.turned)
		}
	}
}
