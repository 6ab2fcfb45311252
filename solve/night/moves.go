package night

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// keeper looks for plans of the rest that are as good as one, and move fewer tasks.
type keeper struct {
	*rest
	// goal is what is minimised before moves.
	goal []model.Objective
	// wanted is the plan that tasks are to keep to.
	wanted model.Schedule
	best   model.Schedule
	moves  int
	values []int64
}

// movedOf lists the tasks of the rest that a plan hands to another slave, or at another
// time, than wanted; those that stand in never are.
func (k *keeper) movedOf(plan model.Schedule) (moved []model.TaskID) {
	for t := range plan {
		if !k.past.Of(k.task[t]) && plan[t].Slave != model.NoSlave && (plan[t].Slave != k.wanted[t].Slave || plan[t].Beat != k.wanted[t].Beat) {
			moved = append(moved, model.TaskID(t))
		}
	}
	return moved
}

// mustMove counts the tasks that cannot keep their places, whatever the others do: they have
// none, or one in the past, or on a slave that there is not, or that is away before they end.
func (k *keeper) mustMove() int64 {
	n := int64(0)
	for t, at := range k.wanted {
		if k.best[t].Slave != model.NoSlave && !k.mayKeep(&k.set.Tasks[t], at) {
			n++
		}
	}
	return n
}

func (k *keeper) mayKeep(task *model.Task, at model.Placement) bool {
	if at.Slave == model.NoSlave || int(at.Slave) >= len(k.set.Slaves) || at.Beat < 0 || !task.Eligible(at.Slave) {
		return false
	}
	from := k.set.Assigned(at)
	return k.set.Slaves[at.Slave].Up(model.Interval{Start: from, End: from + task.Transfer(at.Slave) + task.WCET(at.Slave)})
}

func (k *keeper) valuesOf(plan model.Schedule) []int64 {
	finishes := k.set.Finishes(plan)
	values := []int64{k.set.Value(model.HardMisses, finishes)}
	for _, o := range k.goal {
		values = append(values, k.set.Value(o, finishes))
	}
	return values
}

// offer takes a plan if it is one, not nil, no worse, and moves fewer tasks. What the best one leaves
// out is left out of it, too.
func (k *keeper) offer(plan model.Schedule) {
	if plan == nil {
		return
	}
	for t, at := range k.best {
		if at.Slave == model.NoSlave {
			plan[t] = at
		}
	}
	if k.set.Stranded(k.set.Finishes(plan)) > 0 {
		return
	}
	values, moves := k.valuesOf(plan), len(k.movedOf(plan))
	if slices.Compare(values, k.values) <= 0 && moves < k.moves {
		k.best, k.values, k.moves = plan, values, moves
	}
}

// Tries are bounded, as each costs what a construction of a plan does.
const (
	mostTries = 400
	mostWork  = 200_000 // in placements of tasks
)

// search puts tasks back where they were, by themselves, by job and by lot, and repairs what
// is in their way. It is the same for the same seed unless ctx ends it.
func (k *keeper) search(ctx context.Context, seed uint64) {
	k.offer(heuristics.Repair(k.set, k.wanted))
	rng := rand.New(rand.NewPCG(seed, 0x6d6f766573))
	tries := min(mostTries, max(8, mostWork/max(1, len(k.task))))
	for try := range tries {
		moved := k.movedOf(k.best)
		if len(moved) == 0 || ctx.Err() != nil {
			return
		}
		k.offer(heuristics.Repair(k.set, k.putBack(moved, try, rng)))
	}
}

// putBack is the best plan with some of the moved tasks where they were.
func (k *keeper) putBack(moved []model.TaskID, try int, rng *rand.Rand) model.Schedule {
	plan := slices.Clone(k.best)
	one := moved[rng.IntN(len(moved))]
	for _, t := range moved {
		st, gang := k.set.GangOf(t)
		back := t == one || gang && st.First <= one && one < st.End
		switch try % 3 {
		case 1:
			back = k.set.Tasks[t].Job == k.set.Tasks[one].Job
		case 2:
			back = rng.IntN(2) == 0
		}
		if back {
			plan[t] = k.wanted[t]
		}
	}
	return plan
}
