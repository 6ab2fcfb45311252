package fluid

import (
	"hash/maphash"
	"math"

	"downbeat/model"
	"downbeat/solve/relaxation"
)

// Pooling says which slaves a relaxation takes for one.
type Pooling uint8

const (
	// ByLikeness pools slaves that have the same cores and slots and are as fast;
	// where that makes too many pools, slaves about as fast, or with as many cores.
	ByLikeness Pooling = iota
	// ByCores pools slaves with as many cores: less is seen, and that sooner.
	ByCores
)

const (
	// mostPools is the number of pools that a relaxation can have, fewPools where slaves
	// of a pool are not alike. With more it needs many more passes for the same.
	mostPools, fewPools = 6, 4
	// sampledProfiles are looked at for how fast slaves are, sampledMembers of each
	// pool for how long tasks take there.
	sampledProfiles, sampledMembers = 64, 16
)

// newPools partitions the slaves by the first key that makes few enough pools.
func newPools(js *model.JobSet, by Pooling) [][]model.SlaveID {
	cores := func(s model.SlaveID) uint64 { return uint64(js.Slaves[s].Cores) }
	keys := []func(model.SlaveID) uint64{cores}
	if by == ByLikeness {
		v := newViewer(js)
		if p := relaxation.PlacesBy(js, mostPools, v.likeness); p != nil {
			return p
		}
		keys = append([]func(model.SlaveID) uint64{v.speed}, keys...)
	}
	for _, key := range keys {
		if p := relaxation.PlacesBy(js, fewPools, key); p != nil {
			return p
		}
	}
	return relaxation.PlacesBy(js, 1, func(model.SlaveID) uint64 { return 0 })
}

// viewer tells slaves apart by some of the profiles.
type viewer struct {
	js       *model.JobSet
	profiles []*model.Profile
	least    []model.Time // the least WCET of each profile
	seed     maphash.Seed
}

func newViewer(js *model.JobSet) *viewer {
	v := &viewer{js: js, seed: maphash.MakeSeed()}
	stride := max(1, len(js.Tasks)/sampledProfiles)
	for t := 0; t < len(js.Tasks); t += stride {
		p := js.Tasks[t].Profile
		least := model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			if e := p.WCET(s); e > 0 {
				least = min(least, e)
			}
		}
		v.profiles, v.least = append(v.profiles, p), append(v.least, least)
	}
	return v
}

// likeness is equal for slaves that have the same resources and are as fast.
func (v *viewer) likeness(s model.SlaveID) uint64 {
	var h maphash.Hash
	h.SetSeed(v.seed)
	for _, supply := range v.js.Supplies(s) {
		maphash.WriteComparable(&h, supply)
	}
	for _, p := range v.profiles {
		maphash.WriteComparable(&h, p.WCET(s))
	}
	return h.Sum64()
}

// speedStep is the ratio of speeds from which on slaves are told apart.
const speedStep = 1.15

// speed is equal for slaves with as many cores that are about as fast.
func (v *viewer) speed(s model.SlaveID) uint64 {
	sum, n := 0.0, 0.0
	for i, p := range v.profiles {
		if e := p.WCET(s); e > 0 {
			sum += float64(e) / float64(v.least[i])
			n++
		}
	}
	slowness := max(1, sum/max(1, n))
	return uint64(v.js.Slaves[s].Cores)<<32 | uint64(math.Round(math.Log(slowness)/math.Log(speedStep)))
}

// sample lists some members of a pool, evenly.
func sample(all []model.SlaveID) []model.SlaveID {
	if len(all) <= sampledMembers {
		return all
	}
	out := make([]model.SlaveID, sampledMembers)
	for i := range out {
		out[i] = all[i*len(all)/sampledMembers]
	}
	return out
}
