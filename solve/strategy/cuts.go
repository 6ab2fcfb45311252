package strategy

import (
	"downbeat/model/proof"
	"slices"
	"sync"
)

// Cuts are what energetic reasoning and multipliers say of which jobs may be late:
// those who bound the misses leave them for the master problem.
type Cuts struct {
	mu          sync.Mutex
	found       []proof.Cut
	multipliers [][]proof.Multiplier
}

func (c *Cuts) add(found ...proof.Cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = append(c.found, found...)
}

func (c *Cuts) addMultipliers(at []proof.Multiplier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.multipliers = append(c.multipliers, at)
}

// all are the cuts and the multipliers so far.
func (c *Cuts) all() ([]proof.Cut, [][]proof.Multiplier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.found), slices.Clone(c.multipliers)
}
