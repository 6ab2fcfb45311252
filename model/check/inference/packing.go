package inference

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
)

// Packing recomputes an argument by prices of lengths (see [proof.Packing]) against
// jobs finishing by due (absolute, model.Never for no due time). The error says what
// does not hold. The cost is the interval's length × the tasks that have a price.
//
// A proof file says it by rewards for tasks (rule assignment).
func Packing(js *model.JobSet, due []model.Time, p *proof.Packing) error {
	if len(due) != len(js.Jobs) {
		return fmt.Errorf("%d due times for %d jobs", len(due), len(js.Jobs))
	}
	if p.Interval.Start < 0 || p.Interval.End >= model.Never || p.Interval.Start >= p.Interval.End {
		return fmt.Errorf("the interval [%d, %d) is none", p.Interval.Start, p.Interval.End)
	}
	price := map[model.Time]int64{}
	for _, of := range p.Prices {
		if of.Length <= 0 || of.Price <= 0 || of.Price > mostPrice || price[of.Length] != 0 {
			return fmt.Errorf("a price of %d for tasks of %d ticks", of.Price, of.Length)
		}
		price[of.Length] = of.Price
	}
	held := []model.Time{} // by the tasks that count
	worth := int64(0)
	for t := range js.Tasks {
		job := js.Tasks[t].Job
		if js.Jobs[job].Release < p.Interval.Start || due[job] > p.Interval.End {
			continue
		}
		length := model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			if wcet := js.Tasks[t].WCET(s); wcet > 0 {
				length = min(length, wcet)
			}
		}
		if price[length] > 0 {
			held = append(held, length)
			worth += price[length]
		}
	}
	cores := int64(0)
	for s := range js.Slaves {
		cores += int64(js.Slaves[s].Cores)
	}
	most, err := mostOnCore(held, price, p.Interval.Len())
	if err != nil {
		return err
	}
	if most > mostAdded/cores || worth <= most*cores {
		return fmt.Errorf("tasks worth %d are no more than %d on each of %d cores", worth, most, cores)
	}
	return nil
}

// mostCells bounds the ticks × tasks of a recheck, a tenth of a second.
const mostCells = 1 << 26

// mostOnCore is the greatest worth of tasks whose lengths add up to room at most.
func mostOnCore(lengths []model.Time, price map[model.Time]int64, room model.Time) (int64, error) {
	if room > mostCells || int64(len(lengths)) > mostCells || int64(len(lengths))*int64(room) > mostCells {
		return 0, errors.New("too many tasks and ticks to recheck")
	}
	best := make([]int64, room+1) // by what is held at most
	for _, length := range lengths {
		for held := room; held >= length; held-- {
			best[held] = max(best[held], best[held-length]+price[length])
		}
	}
	return best[room], nil
}
