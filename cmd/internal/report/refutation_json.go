package report

import (
	"math"

	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/clock"
	"downbeat/model/proof"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// refutationJSON is why there is no plan, and what would help.
type refutationJSON struct {
	Conflict *conflictJSON `json:"conflict"`
	Analysis *analysisJSON `json:"analysis,omitempty"`
	Repairs  *repairsJSON  `json:"remedies,omitempty"`
}

// conflictJSON is the first clash, with repairs as programs read them from the first
// version on: later deadlines.
type conflictJSON struct {
	clashJSON
	Fixes []fixJSON `json:"fixes"`
}

// clashJSON keeps the names of fields that programs read already.
type clashJSON struct {
	Jobs        []string         `json:"jobs"`
	Irreducible bool             `json:"irreducible"`
	Proof       string           `json:"proof"`
	Overloads   []overloadJSON   `json:"shortages"`
	Multipliers []multiplierJSON `json:"prices,omitempty"`
	Branching   *branchingJSON   `json:"cases,omitempty"` // where multipliers of the whole do not do
}

type overloadJSON struct {
	countJSON
	Sentence string `json:"sentence"`
}

// countJSON is what jobs need and what there is.
type countJSON struct {
	Resource string        `json:"resource"`
	Jobs     []string      `json:"jobs"`
	Slaves   []string      `json:"slaves"`
	Interval [2]model.Time `json:"interval"`
	Need     int64         `json:"need"`
	Have     int64         `json:"have"`
	Idle     int64         `json:"idle,omitempty"`
}

func newCountJSON(js *model.JobSet, s *proof.Overload) countJSON {
	return countJSON{
		Resource: s.Of(js), Jobs: wording.NamesOfJobs(js, s.Jobs), Slaves: wording.NamesOfSlaves(js, s.Slaves),
		Interval: pair(s.Interval), Need: s.Need, Have: s.Have, Idle: s.Idle,
	}
}

type multiplierJSON struct {
	Slave    string        `json:"slave"` // "" of a pool or a cap
	Resource string        `json:"resource"`
	Interval [2]model.Time `json:"interval"`
	Value    int64         `json:"price"`
}

// branchingJSON is a split with an argument for either part, or a leaf:
// multipliers, or a search.
type branchingJSON struct {
	When        string            `json:"when,omitempty"`
	Holds       *branchingJSON    `json:"holds,omitempty"`
	Fails       *branchingJSON    `json:"fails,omitempty"`
	Multipliers *[]multiplierJSON `json:"prices,omitempty"`
	// Penalties are what jobs pay at most, Late what they pay for each tick of delay.
	Penalties map[string]int64 `json:"penalties,omitempty"`
	Late      map[string]int64 `json:"late_prices,omitempty"`
	Searched  bool             `json:"searched,omitempty"`
}

type fixJSON struct {
	Job string `json:"job"`
	// Deadline is relative, like the job set's.
	Deadline model.Time `json:"deadline"`
	Least    bool       `json:"least"`
}

func newClashJSON(js *model.JobSet, c *solve.Conflict) clashJSON {
	out := clashJSON{
		Jobs: wording.NamesOfJobs(js, c.Jobs), Irreducible: c.Irreducible, Proof: c.Proof.String(), Overloads: []overloadJSON{},
	}
	for i := range c.Overloads {
		s := &c.Overloads[i]
		out.Overloads = append(out.Overloads, overloadJSON{newCountJSON(js, s), s.Sentence(js, clock.Of(js))})
	}
	switch {
	case c.Branching == nil:
	case c.Branching.Bound != nil:
		out.Multipliers = multipliersJSON(js, c.Branching.Bound)
	default:
		out.Branching = newBranchingJSON(js, c.Branching)
	}
	return out
}

// namesOfJobs are the names of jobs, [] of none.
func multipliersJSON(js *model.JobSet, d *proof.DualBound) []multiplierJSON {
	out := []multiplierJSON{}
	for _, m := range d.Multipliers {
		price := multiplierJSON{Interval: pair(m.Interval), Value: m.Value}
		if m.Slave == model.NoSlave {
			price.Resource = js.SharedName(m.Shared)
		} else {
			price.Slave, price.Resource = js.Slaves[m.Slave].Name, js.ResourceName(m.Resource)+"-ticks"
		}
		out = append(out, price)
	}
	return out
}

func newBranchingJSON(js *model.JobSet, c *proof.Branching) *branchingJSON {
	switch {
	case c.Searched:
		return &branchingJSON{Searched: true}
	case c.Bound != nil:
		multipliers := multipliersJSON(js, c.Bound)
		return &branchingJSON{Multipliers: &multipliers, Penalties: byJob(js, c.Bound.Penalty), Late: byJob(js, c.Bound.Late)}
	}
	return &branchingJSON{When: c.Split.Sentence(js, clock.Of(js)), Holds: newBranchingJSON(js, c.Holds), Fails: newBranchingJSON(js, c.Fails)}
}

// analysisJSON is all that is wrong.
type analysisJSON struct {
	Alone    []aloneJSON  `json:"alone"`
	AllTried bool         `json:"all_tried"`
	Clashes  []clashJSON  `json:"clashes"`
	Out      leaveOutJSON `json:"leave_out"`
	Groups   []groupJSON  `json:"groups"`
}

type aloneJSON struct {
	Job      string     `json:"job"`
	After    []string   `json:"after"`
	Due      model.Time `json:"due"`
	Earliest model.Time `json:"earliest"`
	Exact    bool       `json:"exact"`
	Path     []stepJSON `json:"path"`
	Sentence string     `json:"sentence"`
}

type stepJSON struct {
	Job   string     `json:"job"`
	Stage string     `json:"stage"`
	Ends  model.Time `json:"ends"`
}

type leaveOutJSON struct {
	Least    int      `json:"least"`
	Jobs     []string `json:"jobs"`
	Closed   bool     `json:"closed"`
	Sentence string   `json:"sentence"`
}

type groupJSON struct {
	Jobs     []string `json:"jobs"`
	Least    int      `json:"least"`
	Any      int      `json:"any"`
	Sentence string   `json:"sentence"`
}

// repairsJSON is what was tried.
type repairsJSON struct {
	Single   []repairJSON     `json:"single"`
	Together []repairJSON     `json:"together"`
	Vain     []vainJSON       `json:"in_vain"`
	Open     []model.Change   `json:"open"`
	Jobs     []string         `json:"jobs"`
	Series   []string         `json:"series,omitempty"`
	Limited  bool             `json:"limited,omitempty"`
	Tried    []triedJSON      `json:"tried_together"`
	Refuted  [][]model.Change `json:"in_vain_together"`
}

type repairJSON struct {
	Changes []model.Change `json:"changes"`
	Least   []bool         `json:"least"`
	AtLeast []model.Change `json:"at_least"`
	// Cost is in percent of what there is, summed up.
	Cost     float64 `json:"cost"`
	Sentence string  `json:"sentence"`
}

// triedJSON is what came of all choices of so many changes.
type triedJSON struct {
	Changes  int        `json:"changes"`
	Of       []vainJSON `json:"of"`
	Choices  int        `json:"choices"`
	Helped   int        `json:"helped"`
	Vain     int        `json:"in_vain"`
	Dearer   int        `json:"dearer"`
	Sentence string     `json:"sentence"`
}

type vainJSON struct {
	Change model.Change `json:"change"`
	All    bool         `json:"all"`
}

// json tells all of it to programs.
func (n *refutation) json() refutationJSON {
	out := refutationJSON{Conflict: &conflictJSON{clashJSON: newClashJSON(n.js, n.first), Fixes: []fixJSON{}}}
	if n.repairs != nil {
		for _, r := range n.repairs.Single {
			if c := r.Changes[0]; c.Kind == change.Deadline {
				out.Conflict.Fixes = append(out.Conflict.Fixes, fixJSON{Job: c.Name, Deadline: c.At, Least: r.Least[0]})
			}
		}
		out.Repairs = n.repairsJSON()
	}
	if n.analysis != nil {
		out.Analysis = n.analysisJSON()
	}
	return out
}

func (n *refutation) analysisJSON() *analysisJSON {
	a := n.analysis
	out := &analysisJSON{
		Alone: []aloneJSON{}, AllTried: a.AllTried, Clashes: []clashJSON{}, Groups: []groupJSON{},
		Out: leaveOutJSON{Least: a.Out.Least, Jobs: wording.NamesOfJobs(n.js, a.Out.Jobs), Closed: a.Out.Closed(), Sentence: n.outSentence()},
	}
	for i := range a.Alone {
		alone := &a.Alone[i]
		path := []stepJSON{}
		for _, s := range alone.Path {
			job := &n.js.Jobs[s.Job]
			path = append(path, stepJSON{Job: job.Name, Stage: job.Stages[s.Stage].Name, Ends: s.Ends})
		}
		out.Alone = append(out.Alone, aloneJSON{
			Job: n.js.Jobs[alone.Job].Name, After: wording.NamesOfJobs(n.js, alone.After), Due: n.js.Jobs[alone.Job].Due(),
			Earliest: alone.Earliest, Exact: alone.Exact, Path: path, Sentence: n.aloneSentence(alone),
		})
	}
	for _, c := range a.Conflicts {
		out.Clashes = append(out.Clashes, newClashJSON(n.js, c))
	}
	for i := range a.Groups {
		g := &a.Groups[i]
		out.Groups = append(out.Groups, groupJSON{Jobs: wording.NamesOfJobs(n.js, g.Jobs), Least: g.Least, Any: g.Any, Sentence: n.groupSentence(g)})
	}
	return out
}

func (n *refutation) repairsJSON() *repairsJSON {
	list := func(repairs []whatif.Repair) []repairJSON {
		out := []repairJSON{}
		for i := range repairs {
			r := &repairs[i]
			out = append(out, repairJSON{r.Changes, r.Least, r.AtLeast, math.Round(float64(r.Cost)/1e3) / 10, n.repairSentence(r)})
		}
		return out
	}
	r := n.repairs
	out := &repairsJSON{
		Single: list(r.Single), Together: list(r.Together), Vain: vainsJSON(r.Vain), Open: append([]model.Change{}, r.Open...), Jobs: wording.NamesOfJobs(n.js, r.Jobs),
		Series: r.Series, Limited: r.Limited, Tried: []triedJSON{}, Refuted: append([][]model.Change{}, r.Refuted...),
	}
	for i := range r.Tried {
		t := &r.Tried[i]
		out.Tried = append(out.Tried, triedJSON{t.Changes, vainsJSON(t.Of), t.Choices, t.Helped, t.Vain, t.Dearer, n.triedSentence(t)})
	}
	return out
}

func vainsJSON(vain []whatif.Vain) []vainJSON {
	out := []vainJSON{}
	for _, v := range vain {
		out = append(out, vainJSON{Change: v.Change, All: v.All})
	}
	return out
}
