package slotted

import (
	"errors"
	"fmt"
	"math"
)

// replicas is the largest number of machines that hold a task's data.
const replicas = 3

// System is a cluster: machines 0 … Machines-1, the rates of service, and
// where the data of arriving tasks lie.
type System struct {
	Machines int     // >= 1
	Alpha    float64 // probability that a local task ends in a slot, in (0, 1]
	Gamma    float64 // the same for a remote task, in (0, Alpha]

	// Uniform places: the data of each task lie on Replicas (1 … 3) distinct
	// machines, all choices among machines 0 … Holders-1 equally likely.
	// Invariant: Replicas <= Holders <= Machines.
	Holders, Replicas int

	// Types, where there are any, replace the uniform places.
	Types []Type
}

// Type is a kind of tasks: the distinct machines that hold their data (1 … 3),
// and its share of all tasks, relative to the other types' weights.
type Type struct {
	Local  []int
	Weight float64 // >= 0
}

// PaperSystem returns the cluster of the paper's Section V.
func PaperSystem() System {
	return System{Machines: 1000, Alpha: 0.8, Gamma: 0.2, Holders: 800, Replicas: 3}
}

// Check returns an error that says what is wrong with a system, or nil.
func (s System) Check() error {
	if s.Machines < 1 || s.Machines > math.MaxUint16 {
		return fmt.Errorf("%d machines; there must be 1 to %d", s.Machines, math.MaxUint16)
	}
	if !(0 < s.Gamma && s.Gamma <= s.Alpha && s.Alpha <= 1) {
		return fmt.Errorf("rates alpha = %g and gamma = %g; they need 0 < gamma <= alpha <= 1", s.Alpha, s.Gamma)
	}
	if len(s.Types) > 0 {
		return s.checkTypes()
	}
	if s.Replicas < 1 || s.Replicas > replicas || s.Holders < s.Replicas || s.Holders > s.Machines {
		return fmt.Errorf("%d replicas on %d of %d machines; there must be 1 to %d replicas on that many machines or more", s.Replicas, s.Holders, s.Machines, replicas)
	}
	return nil
}

// checkTypes returns what is wrong with the types, or nil.
func (s System) checkTypes() error {
	sum := 0.0
	for i, t := range s.Types {
		if len(t.Local) < 1 || len(t.Local) > replicas {
			return fmt.Errorf("type %d has %d local machines; it must have 1 to %d", i, len(t.Local), replicas)
		}
		if !(t.Weight >= 0) || math.IsInf(t.Weight, 0) {
			return fmt.Errorf("type %d has weight %g", i, t.Weight)
		}
		sum += t.Weight
		for k, m := range t.Local {
			if m < 0 || m >= s.Machines {
				return fmt.Errorf("type %d names machine %d of %d", i, m, s.Machines)
			}
			for _, other := range t.Local[:k] {
				if m == other {
					return fmt.Errorf("type %d names machine %d twice", i, m)
				}
			}
		}
	}
	if sum == 0 {
		return errors.New("no type has a positive weight")
	}
	return nil
}

// Local returns the number of machines that hold data of some task, the
// paper's M_l.
func (s System) Local() int {
	n := 0
	for _, holds := range s.Holds() {
		if holds {
			n++
		}
	}
	return n
}

// Holds tells by machine whether it holds data of some task.
func (s System) Holds() []bool {
	holds := make([]bool, s.Machines)
	if len(s.Types) == 0 {
		for m := range s.Holders {
			holds[m] = true
		}
	}
	for _, t := range s.Types {
		for _, m := range t.Local {
			holds[m] = holds[m] || t.Weight > 0
		}
	}
	return holds
}

// places are the machines that hold a task's data.
type places struct {
	at [replicas]uint16
	n  int8
}

// has reports whether machine m holds the data.
func (p *places) has(m uint16) bool {
	for _, at := range p.at[:p.n] {
		if at == m {
			return true
		}
	}
	return false
}

// placer draws the places of tasks.
type placer struct {
	holders, replicas int
	types             []places
	law               *Law // over types
}

// newPlacer prepares the draws for a checked system.
func newPlacer(s System) (*placer, error) {
	p := &placer{holders: s.Holders, replicas: s.Replicas}
	if len(s.Types) == 0 {
		return p, nil
	}
	values, weights := make([]int, len(s.Types)), make([]float64, len(s.Types))
	for i, t := range s.Types {
		var local places
		for _, m := range t.Local {
			local.at[local.n] = uint16(m)
			local.n++
		}
		p.types = append(p.types, local)
		values[i], weights[i] = i, t.Weight
	}
	var err error
	p.law, err = NewLaw(values, weights)
	return p, err
}

// draw returns the places of one task.
func (p *placer) draw(s *stream) places {
	if p.law != nil {
		return p.types[p.law.draw(s)]
	}
	var out places
	for int(out.n) < p.replicas {
		if m := uint16(s.below(p.holders)); !out.has(m) {
			out.at[out.n] = m
			out.n++
		}
	}
	return out
}
