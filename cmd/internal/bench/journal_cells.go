package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/journal"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/durations"
)

// cellResult is all that was asked for, with what is there of it.
type cellResult struct {
	Config *Config
	Sets   []Set
	// Records are those of Sets, nil where any run or the optimum is missing.
	Records []*Record
	// Missing tells in sentences what is missing, shard by shard; empty if nothing is.
	Missing []string
}

// cellResult puts together what was asked for. Policies chooses some, in that order; nil are all.
// An error is a *journal.Mismatch.
func (s *CellStore) Result(policies []string) (*cellResult, error) {
	p, err := plan(s.asked)
	if err != nil {
		return nil, &journal.Mismatch{Text: "what was asked for cannot be read: " + err.Error()}
	}
	r := &cellResult{Sets: p.sets, Records: make([]*Record, len(p.sets))}
	if r.Config, err = configOf(s.conditions); err != nil {
		return nil, &journal.Mismatch{Text: "the conditions cannot be read: " + err.Error()}
	}
	if r.Config.Policies = p.policies; policies != nil {
		r.Config.Policies = policies
	}
	for _, policy := range policies {
		if !slices.Contains(p.policies, policy) {
			return nil, &journal.Mismatch{Text: fmt.Sprintf("the journals have no runs of %s; they have %s", policy, strings.Join(p.policies, ", "))}
		}
	}
	lacks := map[string]int{} // job sets by the policy that they lack runs of
	for i := range p.sets {
		var lacking []string
		r.Records[i], lacking = s.record(&p.sets[i], r.Config)
		for _, policy := range lacking {
			lacks[policy]++
		}
	}
	r.Missing = p.missing(r, lacks)
	return r, r.oneDefinition()
}

// oneDefinition refuses runs of a policy whose program was not the same for all.
func (r *cellResult) oneDefinition() error {
	type first struct{ definition, set string }
	seen := map[string]first{}
	for _, rec := range r.Records {
		if rec == nil {
			continue
		}
		for i := range rec.Cells {
			cell := &rec.Cells[i]
			was, known := seen[cell.Policy]
			if !known {
				seen[cell.Policy] = first{cell.Definition, rec.Set}
			} else if was.definition != cell.Definition {
				return &journal.Mismatch{Text: fmt.Sprintf("the runs of %s on %s and on %s are by different versions of its program; repeat the benches of the older ones, which make them anew", cell.Policy, was.set, rec.Set)}
			}
		}
	}
	return nil
}

// record is what is known of a set if it is all that is wanted; else nil, and the policies of
// which runs are lacking where there are others.
func (s *CellStore) record(set *Set, c *Config) (*Record, []string) {
	known := s.records[set.ID]
	if known == nil {
		return nil, nil
	}
	rec := *known
	rec.Parameter, rec.Level, rec.Cells = set.Parameter, set.Level, nil
	runs := known.Runs()
	var lacking []string
	for _, seed := range set.Seeds {
		for _, policy := range c.Policies {
			if at, there := runs[RunOf{Seed: seed, Policy: policy}]; there {
				rec.Cells = append(rec.Cells, known.Cells[at])
			} else if !slices.Contains(lacking, policy) {
				lacking = append(lacking, policy)
			}
		}
	}
	if len(lacking) > 0 || !c.NoOptimum && rec.Answer == "" {
		return nil, lacking
	}
	return &rec, nil
}

// configOf is the configuration that conditions are of; it can describe runs, not make them.
func configOf(c *Conditions) (*Config, error) {
	out := &Config{NoOptimum: !c.Optimum, Budget: c.Budget, Memory: c.Memory, SolverSeed: c.SolverSeed, Program: c.Program, Certify: c.Certify}
	var err error
	if out.Durations, err = durations.Parse(c.Durations); err != nil {
		return nil, err
	}
	if len(c.Faults) == 2 {
		out.Faults = &online.Faults{MTBF: c.Faults[0], MTTR: c.Faults[1]}
	}
	for _, name := range c.Objectives {
		o, err := model.ParseObjective(name)
		if err != nil {
			return nil, err
		}
		out.Objectives = append(out.Objectives, o)
	}
	if c.TimeLimit != "" {
		out.TimeLimit, err = time.ParseDuration(c.TimeLimit)
	}
	return out, err
}

// missing says what is missing, a sentence to each shard that lacks something.
func (p *planned) missing(r *cellResult, lacks map[string]int) []string {
	there := map[string]bool{}
	done := 0
	for i, rec := range r.Records {
		if rec != nil {
			there[r.Sets[i].ID] = true
			done++
		}
	}
	if done == len(r.Sets) {
		return nil
	}
	out := []string{fmt.Sprintf("%d of %d job sets are missing", len(r.Sets)-done, len(r.Sets))}
	for _, policy := range slices.Sorted(maps.Keys(lacks)) {
		out = append(out, fmt.Sprintf("%d job sets lack runs of %s and count as missing", lacks[policy], policy))
	}
	for _, a := range p.requests {
		out = append(out, a.missing(there)...)
	}
	return out
}

// missing says which sets of a request are not there, shard by shard if it had shards.
func (a *Asked) missing(there map[string]bool) []string {
	sets, err := a.Sets()
	if err != nil {
		panic(err) // they were read before
	}
	var names []string
	for i := range sets {
		names = append(names, sets[i].ID)
	}
	shard, _ := journal.ParseShard(a.Shard) // none where that is empty
	return journal.Missing(names, func(set string) bool { return there[set] }, shard.Count)
}

// Write writes all that is known as one journal, the same whatever the order in which it was
// read.
func (s *CellStore) Write(w io.Writer) error {
	lines := []any{header{journalName, journalVersion, *s.conditions}}
	p, err := plan(s.asked)
	if err != nil {
		return err
	}
	for _, a := range p.requests {
		a.Shard = ""
		lines = append(lines, request{a})
	}
	planned := map[string]*Set{}
	for i := range p.sets {
		planned[p.sets[i].ID] = &p.sets[i]
	}
	for _, set := range slices.Sorted(maps.Keys(s.records)) {
		rec := *s.records[set]
		if at := planned[set]; at != nil {
			rec.Parameter, rec.Level = at.Parameter, at.Level
		}
		rec.Cells = slices.Clone(rec.Cells)
		slices.SortFunc(rec.Cells, func(a, b Cell) int {
			return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Policy, b.Policy))
		})
		lines = append(lines, rec)
	}
	for _, v := range lines {
		line, err := journal.Encode(v)
		if err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
