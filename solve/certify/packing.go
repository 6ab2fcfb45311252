package certify

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// byPacking refutes a question by prices of lengths, which are rewards for tasks of which cores, whatever each of them does, get less than
// all are worth.
func byPacking(ctx context.Context, js *model.JobSet, q query.Question, by *proof.Packing) *proof.Refutation {
	s := &steps{ctx: ctx, last: 1}
	fmt.Fprintf(&s.text, "m %d", s.last)
	price := map[model.Time]int64{}
	for _, p := range by.Prices {
		price[p.Length] = p.Price
	}
	for t := range js.Tasks {
		id := model.TaskID(t)
		if reward := price[shortest(js, id)]; reward > 0 && q.Role[js.Tasks[t].Job] == query.Must {
			fmt.Fprintf(&s.text, " %s.0.%d.%d", inference.TaskWord, id, reward)
		}
	}
	s.text.WriteByte('\n')
	s.infer(fmt.Sprintf("assignment %d", s.last), nil)
	return s.refutation(&q)
}

// shortest is the least length of a task on any slave.
func shortest(js *model.JobSet, t model.TaskID) model.Time {
	length := model.Never
	for s := range model.SlaveID(len(js.Slaves)) {
		if js.Tasks[t].Eligible(s) {
			length = min(length, js.Tasks[t].WCET(s))
		}
	}
	return length
}
