package bench

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Asked is what a bench was asked to do, from which follows what is missing.
type Asked struct {
	// Files are the job sets' own, folders spelt out.
	Files []string `json:"files,omitempty"`
	// Workloads and Sweep are as in jobsets.
	Workloads []string `json:"workloads,omitempty"`
	Sweep     string   `json:"sweep,omitempty"`
	// Seeds as ParseSeeds reads them.
	Seeds    string   `json:"seeds"`
	Policies []string `json:"policies"`
	// Sources are what workloads depend on beside their texts, by name, with digests (see [workload.Sources]); those
	// of journals that were written before this was kept are not known.
	Sources map[string]string `json:"sources,omitempty"`
	// Shard is the part that this journal is for, "" for all.
	Shard string `json:"shard,omitempty"`
}

// Sets are all job sets that were asked for, whatever the shard; those from files cannot be
// made again.
func (a *Asked) Sets() ([]Set, error) {
	seeds, err := ParseSeeds(a.Seeds)
	if err != nil {
		return nil, err
	}
	var sweep Sweep
	if a.Sweep != "" {
		if sweep, err = ParseSweep(a.Sweep); err != nil {
			return nil, err
		}
	}
	var sets []Set
	for _, file := range a.Files {
		sets = append(sets, fromFile(file, seeds))
	}
	made, err := FromWorkloads(a.Workloads, sweep, seeds, nil)
	return append(sets, made...), err
}

// equal reports whether two requests are the same, the shard and the sources included.
func (a Asked) equal(b Asked) bool {
	return a.text() == b.text() && a.Shard == b.Shard && maps.Equal(a.Sources, b.Sources)
}

// changed is the first of the sources, by name, that is known to be another in an earlier request; "" if none is.
func (a *Asked) changed(earlier []Asked) string {
	for _, name := range slices.Sorted(maps.Keys(a.Sources)) {
		if slices.ContainsFunc(earlier, func(b Asked) bool {
			was, known := b.Sources[name]
			return known && was != a.Sources[name]
		}) {
			return name
		}
	}
	return ""
}

// text orders what was asked, but for the shard, and for the sources, which are the same wherever they are known.
func (a Asked) text() string {
	a.Shard, a.Sources = "", nil
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // plain data
	}
	return string(text)
}

// planned is all that several benches were asked to do.
type planned struct {
	sets []Set
	// policies are all; each is wanted on all sets, with all of their seeds, else tables would
	// compare what is not comparable.
	policies []string
	// requests are those that differ in more than their shard.
	requests []Asked
}

// plan puts together what was asked. One request keeps its order, however many shards it was
// made for. Of several, job sets come by their files and workloads, then levels, then seeds,
// ascending, so that what grew stands as if it had been asked for at once.
func plan(asked []Asked) (*planned, error) {
	p := &planned{requests: slices.Clone(asked)}
	slices.SortStableFunc(p.requests, func(a, b Asked) int {
		return cmp.Or(cmp.Compare(a.text(), b.text()), cmp.Compare(len(b.Sources), len(a.Sources))) // what knows them stays
	})
	p.requests = slices.CompactFunc(p.requests, func(a, b Asked) bool { return a.text() == b.text() })
	index := map[string]int{}
	for _, a := range p.requests {
		sets, err := a.Sets()
		if err != nil {
			return nil, err
		}
		p.add(&a, sets, index)
	}
	if len(p.requests) > 1 {
		p.sort()
	}
	return p, nil
}

// add takes in the job sets and policies of a request; index has the place of each set.
func (p *planned) add(a *Asked, sets []Set, index map[string]int) {
	for _, policy := range a.Policies {
		if !slices.Contains(p.policies, policy) {
			p.policies = append(p.policies, policy)
		}
	}
	for _, s := range sets {
		at, known := index[s.ID]
		if !known {
			index[s.ID] = len(p.sets)
			p.sets = append(p.sets, s)
			continue
		}
		for _, seed := range s.Seeds {
			if !slices.Contains(p.sets[at].Seeds, seed) {
				p.sets[at].Seeds = append(slices.Clip(p.sets[at].Seeds), seed)
			}
		}
	}
}

func (p *planned) sort() {
	source, text := places{}, places{}
	for i := range p.sets {
		s := &p.sets[i]
		source.note(s.Source)
		text.note(stem(s))
		s.Seeds = slices.Sorted(slices.Values(s.Seeds))
	}
	slices.SortStableFunc(p.sets, func(a, b Set) int {
		return cmp.Or(cmp.Compare(source[a.Source], source[b.Source]), cmp.Compare(a.Level, b.Level),
			cmp.Compare(text[stem(&a)], text[stem(&b)]), cmp.Compare(a.Seeds[0], b.Seeds[0]))
	})
}

// stem is the name of a set without its seed: levels that are no numbers keep the order in
// which they were named.
func stem(s *Set) string {
	if at := strings.LastIndex(s.ID, "seed="); at >= 0 && s.ID != s.Source {
		return s.ID[:at]
	}
	return s.ID
}

// places number words in the order in which they come up.
type places map[string]int

func (p places) note(word string) {
	if _, known := p[word]; !known {
		p[word] = len(p)
	}
}
