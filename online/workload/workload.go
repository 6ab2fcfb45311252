package workload

import (
	"fmt"

	"downbeat/model"
)

// Generator is a distribution of job sets. The exported fields of the types
// that implement it are its parameters.
type Generator interface {
	// Generate draws the set of the seed, assembled. The set has no name. It
	// fails where the parameters describe no job set, or a file cannot be read.
	Generate(seed uint64) (*model.JobSet, error)
	// Assumptions lists, in whole sentences, what the source leaves open and
	// what stands in for it, with the values of the moment.
	Assumptions() []string

	// params are the parameters in the order in which people see them, bound
	// to the fields.
	params() []param
	// check finds parameters that contradict each other.
	check() error
}

// Workload is a generator with its name and the seed that the text gave.
type Workload struct {
	name string
	seed uint64
	gen  Generator
}

// Parameter is one parameter of a workload as people see it.
type Parameter struct {
	// Name and Value are as in the text form.
	Name, Value string
	// Help is a sentence with units and range.
	Help string
}

// Generator is what makes the sets; its type tells the parameters.
func (w Workload) Generator() Generator { return w.gen }

// JobSet is the job set of the workload's own seed.
func (w Workload) JobSet() (*model.JobSet, error) { return w.Generate(w.seed) }

// Generate is the job set of another seed, named after workload and seed.
func (w Workload) Generate(seed uint64) (*model.JobSet, error) {
	js, err := w.gen.Generate(seed)
	if err != nil {
		return nil, fmt.Errorf("workload %s, seed %d: %w", w.name, seed, err)
	}
	js.Name = fmt.Sprintf("%s-%d", w.name, seed)
	return js, nil
}

// Assumptions lists what the source leaves open and what stands in for it.
func (w Workload) Assumptions() []string { return w.gen.Assumptions() }

// Parameters lists all parameters with their values, the seed aside.
func (w Workload) Parameters() []Parameter {
	var out []Parameter
	for _, p := range w.gen.params() {
		out = append(out, Parameter{p.name, p.value.String(), p.help})
	}
	return out
}
