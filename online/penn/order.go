package penn

import (
	"cmp"
	"fmt"
	"math"

	"downbeat/model"
)

// tier is a stretch of an order: tasks by a key, smallest first.
type tier struct {
	key func(j *model.Job, s shortest) key
	// words says the key for people.
	words func(j *model.Job, s shortest, now model.Time) string
	// most tasks of the front come before those of the next tier.
	most int
}

// maxTiers is the most tiers that an order has.
const maxTiers = 2

// key is compared by class, then by the fraction num/den, den > 0.
type key struct {
	class    int
	num, den int64
}

func (k key) compare(other key) int {
	if k.class != other.class {
		return k.class - other.class
	}
	return cmp.Compare(k.num*other.den, other.num*k.den)
}

// shortest has a task's least times over the slaves that it may run on.
type shortest struct{ wcet, total model.Time }

// leastOf are those of a profile on so many slaves.
func leastOf(profile *model.Profile, slaves int) shortest {
	s := shortest{model.Never, model.Never}
	for i := range model.SlaveID(slaves) {
		if wcet := profile.WCET(i); wcet > 0 {
			s.wcet = min(s.wcet, wcet)
			s.total = min(s.total, wcet+profile.Transfer(i))
		}
	}
	return s
}

// tiers composes an order. None of the keys changes with time: of two tasks the
// one with less laxity has less at any time.
func tiers(o Order, params Params) []tier {
	all := func(key func(*model.Job, shortest) key, words func(*model.Job, shortest, model.Time) string) tier {
		return tier{key, words, math.MaxInt}
	}
	byDue := all(
		func(j *model.Job, _ shortest) key { return key{0, int64(j.Due()), 1} },
		func(j *model.Job, _ shortest, _ model.Time) string { return due(j) })
	switch o {
	case EDF:
		return []tier{byDue}
	case LLF:
		return []tier{all(
			func(j *model.Job, s shortest) key { return key{0, int64(latestStart(j, s)), 1} },
			func(j *model.Job, s shortest, now model.Time) string { return laxity(j, s, now) })}
	case ShortestWCET:
		return []tier{all(
			func(_ *model.Job, s shortest) key { return key{0, int64(s.wcet), 1} },
			func(_ *model.Job, s shortest, _ model.Time) string { return fmt.Sprintf("wcet %d", s.wcet) })}
	case ShortestTotal:
		return []tier{all(
			func(_ *model.Job, s shortest) key { return key{0, int64(s.total), 1} },
			func(_ *model.Job, s shortest, _ model.Time) string {
				return fmt.Sprintf("wcet and transfer %d", s.total)
			})}
	case Random:
		return []tier{all(
			func(*model.Job, shortest) key { return key{0, 0, 1} },
			func(*model.Job, shortest, model.Time) string { return "by lot" })}
	case Density:
		return []tier{all(
			func(j *model.Job, s shortest) key {
				if density(j, s) > params.Delta {
					return key{0, int64(j.Due()), 1}
				}
				return key{1, int64(j.Due()), 1}
			},
			func(j *model.Job, s shortest, _ model.Time) string { return dense(j, s) + ", " + due(j) })}
	default:
		densest := tier{most: params.K,
			key: func(j *model.Job, s shortest) key {
				if j.Kind == model.BestEffort {
					return key{0, 0, 1}
				}
				return key{0, -int64(s.wcet), int64(j.Deadline)}
			},
			words: func(j *model.Job, s shortest, _ model.Time) string { return dense(j, s) }}
		return []tier{densest, byDue}
	}
}

// latestStart is when a task must begin to be fetched at the latest, on the
// slave where it is quickest; Never without a deadline.
func latestStart(j *model.Job, s shortest) model.Time {
	if j.Kind == model.BestEffort {
		return model.Never
	}
	return j.Due() - s.total
}

// density is the least WCET over the relative deadline, 0 without one.
func density(j *model.Job, s shortest) float64 {
	if j.Kind == model.BestEffort {
		return 0
	}
	return float64(s.wcet) / float64(j.Deadline)
}

func due(j *model.Job) string {
	if j.Kind == model.BestEffort {
		return "due never"
	}
	return fmt.Sprintf("due %d", j.Due())
}

func laxity(j *model.Job, s shortest, now model.Time) string {
	if j.Kind == model.BestEffort {
		return "laxity never"
	}
	return fmt.Sprintf("laxity %d", latestStart(j, s)-now)
}

func dense(j *model.Job, s shortest) string { return fmt.Sprintf("density %.3g", density(j, s)) }
