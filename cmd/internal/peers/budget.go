package peers

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"downbeat/solve"
)

// Budgets plans every set with each budget of counted work and writes what came
// out, a line each. All but the times are the same on every machine.
func Budgets(ctx context.Context, w io.Writer, sets []Set, budgets []int64) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "set\ttasks\tbudget\tanswer\tvalue\tbound\tseconds")
	for i := range sets {
		js := sets[i].JobSet
		set := []string{sets[i].Name, strconv.Itoa(len(js.Tasks))}
		for _, budget := range budgets {
			r, err := solve.Plan(ctx, js, solve.Options{Budget: budget, Seed: 1, NoConflict: true})
			if err != nil {
				return fmt.Errorf("%s with budget %d: %w", sets[i].Name, budget, err)
			}
			if err := ctx.Err(); err != nil {
				out.Flush()
				return err
			}
			values, bounds := split(r.Objectives)
			if r.Schedule == nil {
				values = nil
			}
			fmt.Fprintln(out, strings.Join(append(set, strconv.FormatInt(budget, 10), r.Status.String(),
				numbers(values), numbers(bounds), seconds(r.Elapsed)), "\t"))
			set = []string{"", ""}
		}
	}
	return out.Flush()
}
