package proof

import (
	"fmt"

	"downbeat/model"
)

// Packing is an argument that jobs cannot all finish by their due times, for cores
// are too few whatever each of them runs: a dual feasible function (Lueker, 1983), or
// the prices of the relaxation by patterns (Gilmore and Gomory, 1961). Tasks of jobs
// that are released and due within Interval run wholly inside it. Each is worth the
// price of its length, the least on any slave, or of none if that is not listed. The
// most that a core can run inside the interval is worth so much that all cores
// together come to less than all of these tasks.
type Packing struct {
	Interval model.Interval
	Prices   []LengthPrice // distinct lengths
}

// LengthPrice is what a task of so many ticks is worth.
type LengthPrice struct {
	Length model.Time // > 0
	Price  int64      // > 0
}

// Sentence says it to people.
func (p *Packing) Sentence(by Clock) string {
	return fmt.Sprintf("with prices on %d lengths of tasks, the most that each core can run %s is worth less than all tasks",
		len(p.Prices), by.Stretch(p.Interval))
}

// RewardsSentence says to people that cores are too few, by so many passes over rewards for tasks.
func RewardsSentence(passes int) string {
	const text = "with a reward for each task, the most that all cores can do is worth less than all tasks"
	if passes > 1 {
		return fmt.Sprintf("%s, once %d passes over rewards have ruled out, case by case, which core does which", text, passes-1)
	}
	return text
}
