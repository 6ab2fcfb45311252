package heuristics

import (
	"context"
	"slices"

	"downbeat/model"
)

// Complete adds the jobs of which no task is placed to a valid schedule,
// earliest deadline first, each task where it finishes first; nothing that is
// placed moves. Jobs are placed wholly or not at all, and none that is placed comes
// after one that is not.
func Complete(js *model.JobSet, partial model.Schedule) model.Schedule {
	b := NewBoard(NewFigures(js), 0)
	b.Load(context.Background(), partial)
	b.pin(context.Background())
	var missing []model.JobID
	for i := range js.Jobs {
		if partial[js.Jobs[i].First].Slave == model.NoSlave {
			missing = append(missing, model.JobID(i))
		}
	}
	slices.SortStableFunc(missing, func(x, y model.JobID) int {
		return int(js.Jobs[x].Due() - js.Jobs[y].Due())
	})
	for _, i := range missing {
		b.insertBehind(i)
	}
	return b.Place
}

// insertBehind places a job of which nothing is placed, and before it those that it
// comes after.
func (b *Board) insertBehind(i model.JobID) {
	if b.Place[b.js.Jobs[i].First].Slave != model.NoSlave && !b.fig.hasPinned(i) {
		return
	}
	for _, before := range b.js.Jobs[i].After {
		b.insertBehind(before)
	}
	b.InsertJob(i)
}
