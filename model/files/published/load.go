package published

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"downbeat/model"
)

// errOther is for a text that is of another format.
var errOther = errors.New("of another format")

// formats are tried in turn; the first whose look a text has is taken.
var formats = []func(name, text string) ([]*model.JobSet, error){
	psplib, jobShop, flexibleJobShop, openShop, reentrantJobShop, patterson, weightedTardiness,
}

// Load reads the sets of a file, whose base name without its ending is name: it names the sets, and
// tells how many jobs those of weighted tardiness have.
func Load(name string, src []byte) ([]*model.JobSet, error) {
	for _, read := range formats {
		sets, err := read(name, string(src))
		if errors.Is(err, errOther) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, js := range sets {
			js.Heartbeat = 1
			if err := js.Assemble(); err != nil {
				return nil, fmt.Errorf("%s: %w", js.Name, err)
			}
		}
		return sets, nil
	}
	return nil, fmt.Errorf("%s: this is no job shop, flexible job shop, open shop, project (.rcp, .sm) or file of weighted tardiness (wtN.txt)", name)
}

// rowsOf are the numbers of each line that has some, without comments; errOther if there is anything else.
func rowsOf(text string) ([][]int64, error) {
	var rows [][]int64
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		var row []int64
		for _, field := range strings.Fields(line) {
			x, err := strconv.ParseFloat(field, 64) // the mean number of machines of an operation is a fraction
			if err != nil || x < 0 || x > float64(model.MaxTime) {
				return nil, errOther
			}
			row = append(row, int64(x))
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, errOther
	}
	return rows, nil
}

// reader takes numbers from the front of a list.
type reader struct {
	left  []int64
	short bool // more was asked for than there was
}

func (r *reader) next() int64 {
	if len(r.left) == 0 {
		r.short = true
		return 0
	}
	n := r.left[0]
	r.left = r.left[1:]
	return n
}

// several are the next n numbers.
func (r *reader) several(n int64) []int64 {
	if n > int64(len(r.left)) {
		r.short = true
		return nil
	}
	out := r.left[:n]
	r.left = r.left[n:]
	return out
}

// done reports whether all was read, and no more.
func (r *reader) done() bool { return !r.short && len(r.left) == 0 }

// machines are slaves with a core each, and slots for all tasks.
func machines(n, tasks int) []model.Slave {
	var out []model.Slave
	for m := range n {
		out = append(out, model.Slave{Name: fmt.Sprintf("m%d", m+1), Cores: 1, Slots: tasks})
	}
	return out
}

// stage is one task with its time by slave, 0 where it may not run.
func stage(name string, wcet []model.Time) model.Stage {
	return model.Stage{Name: name, Groups: []model.Group{group(wcet)}}
}

// group is one task with its time by slave.
func group(wcet []model.Time) model.Group {
	return model.Group{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0))}
}
