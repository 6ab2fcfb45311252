package workload

import (
	"context"
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

// interrupted is a generator that may take so long that it ends with a context, or runs programs.
type interrupted interface {
	generate(ctx context.Context, seed uint64, programs *Programs) (*model.JobSet, error)
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
	// Help says what it means and in which unit it is.
	Help string
	// Takes says which values it takes; empty where that is what a file may have there.
	Takes string
}

// Generator is what makes the sets; its type tells the parameters.
func (w Workload) Generator() Generator { return w.gen }

// JobSet is the job set of the workload's own seed.
func (w Workload) JobSet() (*model.JobSet, error) { return w.Generate(w.seed) }

// Generate is the job set of another seed, named after workload and seed.
func (w Workload) Generate(seed uint64) (*model.JobSet, error) {
	return w.GenerateContext(context.Background(), seed, nil)
}

// GenerateContext is Generate, ended with ctx where the set is of a file or a program makes it, which runs as
// programs says: nil for a minute at most.
func (w Workload) GenerateContext(ctx context.Context, seed uint64, programs *Programs) (*model.JobSet, error) {
	js, err := w.generate(ctx, seed, programs)
	if err != nil {
		return nil, fmt.Errorf("workload %s, seed %d: %w", w.name, seed, err)
	}
	js.Name = fmt.Sprintf("%s-%d", w.name, seed)
	return js, nil
}

func (w Workload) generate(ctx context.Context, seed uint64, programs *Programs) (*model.JobSet, error) {
	if g, long := w.gen.(interrupted); long {
		return g.generate(ctx, seed, programs)
	}
	return w.gen.Generate(seed)
}

// Assumptions lists what the source leaves open and what stands in for it.
func (w Workload) Assumptions() []string { return w.gen.Assumptions() }

// Parameters lists all parameters with their values, the seed aside.
func (w Workload) Parameters() []Parameter {
	var out []Parameter
	for _, p := range w.gen.params() {
		out = append(out, Parameter{p.name, p.value.String(), p.help, p.value.takes()})
	}
	return out
}

// Explanation is all there is to know before one draws from a workload.
type Explanation struct {
	Info
	// Parameters have the values of the text; the seed is among them.
	Parameters  []Parameter
	Assumptions []string
}

// Explain reads the text form of a workload as [Parse] does, but takes parameters that
// contradict each other or are missing: one may ask what there is before one knows what to say.
func Explain(spec string) (Explanation, error) {
	w, info, err := read(spec)
	if err != nil {
		return Explanation{}, err
	}
	seed := seedParam(&w.seed)
	return Explanation{
		Info: info, Assumptions: w.Assumptions(),
		Parameters: append(w.Parameters(), Parameter{seed.name, seed.value.String(), seed.help, seed.value.takes()}),
	}, nil
}

// Info is one line of List.
type Info struct{ Name, Help string }

type entry struct {
	Info
	make func() Generator
}

// catalog lists all workloads, the papers' first.
func catalog() []entry {
	return []entry{
		{Info{"rtmr1", "RTMR's workload I (Tables I-III): 88 mostly small hard jobs on 30 nodes"},
			func() Generator { return RTMR1() }},
		{Info{"rtmr2", "RTMR's workload II (Tables I, IV): 89 jobs of about 100 maps, some with more reduces than slots"},
			func() Generator { return RTMR2() }},
		{Info{"maxweight", "MaxWeight's simulation (section V): a stream of map-only jobs, three replicas, local and remote times"},
			func() Generator { return NewMaxWeight() }},
		{Info{"rds", "RDS's job mix (section IV): short, medium and large jobs under solar-like capacity"},
			func() Generator { return NewRDS() }},
		{Info{"rds-case", "RDS's case study (section II, Table I): two jobs, capacity 3, 6, 3, 6; FIFO and Fair miss J2"},
			func() Generator { return NewRDSCase() }},
		{Info{"rds-overload", "an overloaded pair of jobs of ours, of which EDF misses both and the optimum one"},
			func() Generator { return NewRDSOverload() }},
		{Info{"realtime", "UUniFast utilisations, log-uniform periods, constrained deadlines on a Penn platform; small sets"},
			func() Generator { return NewRealTime() }},
		{Info{"periodic", "one hyperperiod of hard periodic streams that start together; check's yes is a timetable to repeat, its no holds for any scheduler, other offsets are not covered"},
			func() Generator { return NewPeriodic() }},
		{Info{"ec2", "Penn's measurements (section 3): WordCount or TeraSort jobs on 20 dual-core slaves"},
			func() Generator { return NewEC2() }},
		{Info{"swim", "a stream of jobs from a SWIM trace (Facebook's, say); needs file="},
			func() Generator { return NewSWIM() }},
		{Info{"tiny", "3-6 tasks with every feature of the model mixed in, infeasible ones among them"},
			func() Generator { return &Tiny{} }},
		{Info{"small", "tiny's features at 8-14 tasks"},
			func() Generator { return NewSmall() }},
		{Info{"family", "the named families of model/gen: tight, infeasible, misses, large and others"},
			func() Generator { return NewFamily() }},
	}
}

// List describes all workloads, the papers' first.
func List() []Info {
	var out []Info
	for _, e := range catalog() {
		out = append(out, e.Info)
	}
	return out
}
