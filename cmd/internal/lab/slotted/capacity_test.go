package slotted

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"
)

// programme returns the capacity by the definition: a linear programme over the
// load and all rates of types on machines, the paper's (3).
func programme(t *rapid.T, s System) float64 {
	n, m := len(s.Types), s.Machines
	sum := 0.0
	for _, typ := range s.Types {
		sum += typ.Weight
	}
	// Columns: rate of type i on machine j, slack of machine j, the load.
	columns := n*m + m + 1
	a := mat.NewDense(n+m, columns, nil)
	b, cost := make([]float64, n+m), make([]float64, columns)
	cost[columns-1] = -1
	for i, typ := range s.Types {
		for j := range m {
			rate := s.Gamma
			for _, l := range typ.Local {
				if l == j {
					rate = s.Alpha
				}
			}
			a.Set(i, i*m+j, 1)
			a.Set(n+j, i*m+j, 1/rate)
		}
		a.Set(i, columns-1, -typ.Weight/sum)
	}
	for j := range m {
		a.Set(n+j, n*m+j, 1)
		b[n+j] = 1
	}
	value, _, err := lp.Simplex(cost, a, b, 1e-10, nil)
	if err != nil {
		t.Skipf("the linear programme was not solved: %v", err)
	}
	return -value
}

// drawSystem returns a small system with types.
func drawSystem(t *rapid.T) System {
	s := System{
		Machines: rapid.IntRange(1, 6).Draw(t, "machines"),
		Alpha:    rapid.Float64Range(0.3, 1).Draw(t, "alpha"),
	}
	s.Gamma = s.Alpha * rapid.Float64Range(0.05, 1).Draw(t, "slowdown")
	for range rapid.IntRange(1, 6).Draw(t, "types") {
		perm := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}[:s.Machines]).Draw(t, "places")
		k := rapid.IntRange(1, min(3, s.Machines)).Draw(t, "replicas")
		s.Types = append(s.Types, Type{perm[:k], rapid.Float64Range(0.01, 1).Draw(t, "weight")})
	}
	return s
}

// The capacity by flows is that of the linear programme.
func TestCapacityIsTheLinearProgramme(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSystem(t)
		got, err := Capacity(s)
		if err != nil {
			t.Fatal(err)
		}
		if want := programme(t, s); math.Abs(got-want) > 1e-7*want {
			t.Errorf("capacity %.12g by flows, %.12g by the linear programme", got, want)
		}
	})
}

// Heavy local traffic is what assumption (12) says, over all sets of machines.
func TestHeavyLocalBySets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSystem(t)
		load := rapid.Float64Range(0.1, 2).Draw(t, "load") * s.Ceiling()
		sum := 0.0
		for _, typ := range s.Types {
			sum += typ.Weight
		}
		want, closest := true, math.Inf(1)
		for set := 1; set < 1<<s.Machines; set++ {
			offered, held, all := 0.0, 0, 0
			for _, typ := range s.Types {
				mask := 0
				for _, m := range typ.Local {
					mask |= 1 << m
				}
				all |= mask
				if mask&set != 0 {
					offered += load * typ.Weight / sum
				}
			}
			for m := range s.Machines {
				held += set >> m & 1
			}
			if set&^all != 0 {
				continue // machines without data are not asked
			}
			gap := offered - float64(held)*s.Alpha
			closest = math.Min(closest, math.Abs(gap))
			want = want && gap >= 0
		}
		got, err := HeavyLocal(s, load)
		if err != nil {
			t.Fatal(err)
		}
		if got != want && closest > 1e-6 {
			t.Errorf("heavy local traffic %v, by sets %v", got, want)
		}
	})
}

// Uniform places have the capacity and the heavy local traffic of a system that
// lists all triples.
func TestUniformIsAllTriples(t *testing.T) {
	for holders := 3; holders <= 7; holders++ {
		uniform := System{Machines: 9, Alpha: 0.7, Gamma: 0.15, Holders: holders, Replicas: 3}
		listed := uniform
		for a := range holders {
			for b := range a {
				for c := range b {
					listed.Types = append(listed.Types, Type{[]int{a, b, c}, 1})
				}
			}
		}
		x, err := Capacity(uniform)
		if err != nil {
			t.Fatal(err)
		}
		y, err := Capacity(listed)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(x-y) > 1e-9 || uniform.Local() != listed.Local() {
			t.Errorf("%d holders: capacity %g and %g, %d and %d machines with data", holders, x, y, uniform.Local(), listed.Local())
		}
		for _, load := range []float64{0.99 * 0.7 * float64(holders), 1.01 * 0.7 * float64(holders)} {
			p, err := HeavyLocal(uniform, load)
			if err != nil {
				t.Fatal(err)
			}
			q, err := HeavyLocal(listed, load)
			if err != nil {
				t.Fatal(err)
			}
			if p != q {
				t.Errorf("%d holders, load %g: heavy local traffic %v and %v", holders, load, p, q)
			}
		}
	}
}

// Worked by hand. The paper's cluster: 800·0.8 + 200·0.2 = 680. Two machines and
// data on machine 0 only: it serves 0.8, the other 0.2. Nine tasks in ten there,
// the rest on machine 1: machine 1 has 1 - λ/8 of its time left for the
// 0.9λ - 0.8 that machine 0 cannot do, at 0.2: λ = 1/0.925.
func TestCapacityByHand(t *testing.T) {
	tests := []struct {
		name   string
		system System
		want   float64
	}{
		{"the paper's cluster", PaperSystem(), 680},
		{"one holder of two", System{Machines: 2, Alpha: 0.8, Gamma: 0.2, Types: []Type{{[]int{0}, 1}}}, 1},
		{"lopsided", System{Machines: 2, Alpha: 0.8, Gamma: 0.2, Types: []Type{{[]int{0}, 0.9}, {[]int{1}, 0.1}}}, 1 / 0.925},
		{"no data on a type of weight 0", System{Machines: 2, Alpha: 0.8, Gamma: 0.2, Types: []Type{{[]int{0}, 1}, {[]int{1}, 0}}}, 1},
	}
	for _, test := range tests {
		got, err := Capacity(test.system)
		if err != nil || math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: capacity %.12g, %v, want %g", test.name, got, err, test.want)
		}
	}
}

// Systems that make no sense are refused.
func TestSystemFaults(t *testing.T) {
	good := System{Machines: 3, Alpha: 0.8, Gamma: 0.2, Holders: 3, Replicas: 2}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*System){
		"no machines":         func(s *System) { s.Machines = 0 },
		"too many machines":   func(s *System) { s.Machines = 1 << 16 },
		"alpha above 1":       func(s *System) { s.Alpha = 1.1 },
		"gamma above alpha":   func(s *System) { s.Gamma = 0.9 },
		"no remote service":   func(s *System) { s.Gamma = 0 },
		"no replicas":         func(s *System) { s.Replicas = 0 },
		"four replicas":       func(s *System) { s.Machines, s.Holders, s.Replicas = 5, 5, 4 },
		"more holders":        func(s *System) { s.Holders = 4 },
		"fewer holders":       func(s *System) { s.Holders = 1 },
		"a type of nothing":   func(s *System) { s.Types = []Type{{nil, 1}} },
		"an unknown machine":  func(s *System) { s.Types = []Type{{[]int{3}, 1}} },
		"a machine twice":     func(s *System) { s.Types = []Type{{[]int{1, 1}, 1}} },
		"a negative weight":   func(s *System) { s.Types = []Type{{[]int{1}, -1}} },
		"weights that vanish": func(s *System) { s.Types = []Type{{[]int{1}, 0}} },
	} {
		s := good
		spoil(&s)
		if s.Check() == nil {
			t.Errorf("%s passes", name)
		}
		if _, err := Capacity(s); err == nil {
			t.Errorf("%s has a capacity", name)
		}
	}
}
