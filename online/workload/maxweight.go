package workload

import (
	"fmt"
	"math"

	"downbeat/model"
)

// Service says how long MaxWeight's tasks take.
type Service string

const (
	// MeanService declares 1/α and 1/γ slots for every task.
	MeanService Service = "mean"
	// GeometricService draws each task's local and remote time from the paper's
	// geometric distributions.
	GeometricService Service = "geometric"
)

// MaxWeight is the simulation of Wang, Zhu, Ying, Tan and Zhang: Map Task
// Scheduling in MapReduce with Data Locality (2013), section V, on the
// platform: machines with one slot, a stream of map-only best-effort jobs whose
// blocks lie on a part of the machines. A time slot of the paper is SlotTicks
// ticks.
type MaxWeight struct {
	// Machines is M (1000 in the paper), Data the share that holds data (0.8).
	Machines int
	Data     float64
	// Alpha and Gamma are the rates of local and remote service per slot.
	Alpha, Gamma float64
	Service      Service
	SlotTicks    model.Time
	// Load is the arrival rate of tasks as a share of the edge of the capacity
	// region, Md·Alpha + (M−Md)·Gamma tasks per slot (680 in the paper).
	Load float64
	// Jobs is their number, Tasks the mean number of tasks of one (geometric).
	Jobs     int
	Tasks    float64
	Replicas int
	Platform
}

// NewMaxWeight has the paper's rates on a twentieth of its machines.
func NewMaxWeight() *MaxWeight {
	return &MaxWeight{
		Machines: 50, Data: 0.8, Alpha: 0.8, Gamma: 0.2, Service: MeanService, SlotTicks: 20,
		Load: 0.8, Jobs: 100, Tasks: 10, Replicas: 3,
		Platform: Platform{Heartbeat: 1, Fetch: model.FetchConcurrent},
	}
}

func (w *MaxWeight) params() []param {
	own := []param{
		{name: "machines", help: "number of machines; 1000 in the paper", value: whole[int]{&w.Machines, 1, 100_000}},
		{name: "data", help: "share of machines that hold data", value: real{&w.Data, 0, 1}},
		{name: "alpha", help: "rate of local service, tasks per time slot", value: real{&w.Alpha, 0.001, 1}},
		{name: "gamma", help: "rate of remote service, tasks per time slot", value: real{&w.Gamma, 0.001, 1}},
		{name: "service", help: "mean: times 1/alpha and 1/gamma; geometric: drawn per task in whole slots", value: choice[Service]{&w.Service, []Service{MeanService, GeometricService}}},
		{name: "slot", help: "ticks per time slot", value: whole[model.Time]{&w.SlotTicks, 1, 10_000}},
		{name: "load", help: "arrivals as a share of the edge of the capacity region", value: real{&w.Load, 0.001, 10}},
		{name: "jobs", help: "number of jobs", value: whole[int]{&w.Jobs, 1, 1_000_000}},
		{name: "tasks", help: "mean number of tasks per job (geometric)", value: real{&w.Tasks, 1, 100_000}},
		{name: "replicas", help: "machines that hold a block", value: whole[int]{&w.Replicas, 1, 1000}},
	}
	return append(own, w.Platform.params()...)
}

// dataMachines is Md, the number of machines that hold data.
func (w *MaxWeight) dataMachines() int { return int(math.Round(w.Data * float64(w.Machines))) }

// Edge is the arrival rate in tasks per slot at which the cluster is fully
// used: no policy is stable beyond it (section III).
func (w *MaxWeight) Edge() float64 {
	local := float64(w.dataMachines())
	return local*w.Alpha + (float64(w.Machines)-local)*w.Gamma
}

func (w *MaxWeight) check() error {
	if w.Gamma > w.Alpha {
		return fmt.Errorf("gamma=%g is above alpha=%g: remote service is not faster than local", w.Gamma, w.Alpha)
	}
	return checkReplicas(w.Replicas, w.dataMachines())
}

// Assumptions lists what section V leaves open and what the platform changes.
func (w *MaxWeight) Assumptions() []string {
	service := "every task takes the mean times 1/alpha and 1/gamma, rounded to ticks"
	if w.Service == GeometricService {
		service = "each task's local and remote times are drawn from geometric distributions and declared, so policies that look at declared times know more than the paper's"
	}
	return []string{
		fmt.Sprintf("Numbers of tasks per job are only said to mimic a Facebook workload: geometric with mean %g.", w.Tasks),
		fmt.Sprintf("The arrival process is not given: Poisson jobs, at starts of slots, at %g of the edge of %g tasks per slot.", w.Load, w.Edge()),
		fmt.Sprintf("%d machines with one slot and one core; the paper has 1000. Blocks are on %d of them, %d replicas drawn uniformly.", w.Machines, w.dataMachines(), w.Replicas),
		fmt.Sprintf("A time slot is %d ticks; %s.", w.SlotTicks, service),
		fmt.Sprintf("A machine that finishes gets its next task at a heartbeat, every %d ticks; the paper's master decides at starts of slots.", w.Heartbeat),
		fmt.Sprintf("The run ends after %d jobs; the paper averages over the last 250,000 slots of a run.", w.Jobs),
	}
}

// Generate draws the set of the seed.
func (w *MaxWeight) Generate(seed uint64) (*model.JobSet, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	js := w.jobSet(0, class("m", w.Machines, model.Slave{Cores: 1, Slots: 1}))
	gap := w.Tasks / (w.Load * w.Edge())
	rows := map[[2]model.Time][2]model.Row{}
	for i, at := range exponentialArrivals(seed, w.Jobs, gap) {
		job := model.Job{Name: fmt.Sprintf("j%d", i+1), Release: model.Time(at) * w.SlotTicks}
		st := model.Stage{Name: "map", Slot: model.MapSlot}
		places, service := stream(seed, "replicas", i), stream(seed, "service", i)
		for range geometricAt(stream(seed, "tasks", i).Float64(), 1/w.Tasks) {
			local, remote := w.times(service.Float64(), service.Float64())
			key := [2]model.Time{local, remote}
			if _, known := rows[key]; !known {
				wcet, transfer := w.rows(local, remote)
				rows[key] = [2]model.Row{wcet, transfer}
			}
			wcet, transfer := rows[key][0], rows[key][1]
			at := make([]model.SlaveID, 0, w.Replicas)
			for _, s := range sample(places.IntN, w.dataMachines(), w.Replicas) {
				at = append(at, model.SlaveID(s))
			}
			profile := model.NewProfile(wcet.With(at, local), transfer.With(at, 0))
			st.Groups = append(st.Groups, model.Group{Count: 1, Profile: profile})
		}
		job.Stages = []model.Stage{st}
		js.Jobs = append(js.Jobs, job)
	}
	return finish(js)
}

// times are a task's local and remote service times in ticks, from two
// uniform draws.
func (w *MaxWeight) times(u, v float64) (local, remote model.Time) {
	if w.Service == GeometricService {
		return model.Time(geometricAt(u, w.Alpha)) * w.SlotTicks, model.Time(geometricAt(v, w.Gamma)) * w.SlotTicks
	}
	slot := float64(w.SlotTicks)
	return ticks(slot/w.Alpha, 1), ticks(slot/w.Gamma, 1)
}

// rows are the figures off the replicas: the task runs as long as a local one
// and fetches for the rest. Drawn times know no such parts, and remote ones may
// be shorter: they are all execution.
func (w *MaxWeight) rows(local, remote model.Time) (wcet, transfer model.Row) {
	if w.Service == GeometricService {
		return model.ConstRow(w.Machines, remote), model.ConstRow(w.Machines, 0)
	}
	return model.ConstRow(w.Machines, local), model.ConstRow(w.Machines, remote-local)
}
