package workload

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
