package published

import (
	"fmt"
	"strings"

	"downbeat/model"
)

// maxMachines is more than any set has (Da Col and Teppan 2022 have a thousand).
const maxMachines = 10_000

// rowsOfJobs are the number of machines and the line of each job; errOther unless a line before them has the number of jobs and that of machines, and
// so many numbers at most.
func rowsOfJobs(text string, most int) (machines int, jobs [][]int64, err error) {
	rows, err := rowsOf(text)
	if err != nil {
		return 0, nil, err
	}
	head := rows[0]
	if len(head) < 2 || len(head) > most || int64(len(rows)) != 1+head[0] || head[1] > maxMachines {
		return 0, nil, errOther
	}
	return int(head[1]), rows[1:], nil
}

// jobShop reads a job shop in which each job is on each machine once.
func jobShop(name, text string) ([]*model.JobSet, error) {
	n, rows, err := rowsOfJobs(text, 2)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if len(row) != 2*n {
			return nil, errOther
		}
		seen := make([]bool, n)
		for k := 0; k < len(row); k += 2 {
			m := row[k]
			if m >= int64(n) || seen[m] {
				return nil, errOther // it may be a flexible one, or a reentrant one
			}
			seen[m] = true
		}
	}
	return jobShopOf(name, n, rows)
}

// reentrantJobShop reads a job shop in which jobs have operations as they like, several on a machine, too, and none on others (Boveroux, Ernst and
// Louveaux 2025). With Da Col and Teppan (2022) a line ends with -1 -1.
func reentrantJobShop(name, text string) ([]*model.JobSet, error) {
	n, rows, err := rowsOfJobs(withoutEnds(text), 2)
	if err != nil {
		return nil, err
	}
	return jobShopOf(name, n, rows)
}

// withoutEnds is text without the -1 -1 that lines end with.
func withoutEnds(text string) string {
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		if f := strings.Fields(line); len(f) > 2 && f[len(f)-2] == "-1" && f[len(f)-1] == "-1" {
			lines[k] = strings.Join(f[:len(f)-2], " ")
		}
	}
	return strings.Join(lines, "\n")
}

// jobShopOf is the job shop of which each row is a job, a machine from 0 on and a time for each operation; errOther if the rows are no such thing.
func jobShopOf(name string, n int, rows [][]int64) ([]*model.JobSet, error) {
	shop := newShop(name, n)
	for i, row := range rows {
		if len(row)%2 != 0 {
			return nil, errOther
		}
		job := newJob(i)
		for k := 0; k < len(row); k += 2 {
			if row[k] >= int64(n) {
				return nil, errOther
			}
			addOperation(&job, timeOn(n, int(row[k]), row[k+1]))
		}
		shop.Jobs = append(shop.Jobs, job)
	}
	return []*model.JobSet{shop}, nil
}

// flexibleJobShop reads a flexible job shop.
func flexibleJobShop(name, text string) ([]*model.JobSet, error) {
	n, rows, err := rowsOfJobs(text, 3) // the third number is the mean of the machines of an operation
	if err != nil {
		return nil, err
	}
	shop := newShop(name, n)
	for i, row := range rows {
		r := &reader{left: row}
		job := newJob(i)
		for range r.next() {
			wcet := make([]model.Time, n)
			for range r.next() {
				m, time := r.next(), r.next()
				if m < 1 || m > int64(n) || r.short {
					return nil, errOther
				}
				wcet[m-1] = model.Time(time)
			}
			if r.short {
				return nil, errOther // before it goes over more operations than there are numbers
			}
			addOperation(&job, wcet)
		}
		if !r.done() {
			return nil, errOther
		}
		shop.Jobs = append(shop.Jobs, job)
	}
	return []*model.JobSet{shop}, nil
}

// openShop reads an open shop: a line for each job with the time on each machine. The operations of a job are one stage, one of them at a time.
func openShop(name, text string) ([]*model.JobSet, error) {
	n, rows, err := rowsOfJobs(text, 2)
	if err != nil {
		return nil, err
	}
	shop := newShop(name, n)
	for i, row := range rows {
		if len(row) != n {
			return nil, errOther
		}
		job := newJob(i)
		all := model.Stage{Name: "all"}
		for m, time := range row {
			if time > 0 {
				all.Groups = append(all.Groups, group(timeOn(n, m, time)))
			}
		}
		job.AtMost, job.Stages = 1, []model.Stage{all}
		shop.Jobs = append(shop.Jobs, job)
	}
	return []*model.JobSet{shop}, nil
}

// timeOn is a time by slave that one of n has.
func timeOn(n, slave int, time int64) []model.Time {
	wcet := make([]model.Time, n)
	wcet[slave] = model.Time(time)
	return wcet
}

func newShop(name string, n int) *model.JobSet {
	return &model.JobSet{Name: name, Slaves: machines(n, 1), Objectives: []model.Objective{model.Makespan}}
}

func newJob(i int) model.Job {
	return model.Job{Name: fmt.Sprintf("j%d", i+1), Kind: model.BestEffort, Weight: 1}
}

// addOperation adds what follows the operations so far. One that takes no time is left out.
func addOperation(job *model.Job, wcet []model.Time) {
	for _, t := range wcet {
		if t > 0 {
			job.Stages = append(job.Stages, stage(fmt.Sprintf("o%d", len(job.Stages)+1), wcet))
			return
		}
	}
}
