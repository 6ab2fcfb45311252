package peers

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"downbeat/model/minizinc"
)

const downbeatName = "downbeat"

// Peer is a solver that can be asked.
type Peer struct {
	// Name is short and unique, Version its version or empty.
	Name, Version string
	// solve asks about a set until ctx ends, and tells the listener of plans.
	solve func(ctx context.Context, set *Set, opt Options, l *listener) (claim, error)
}

// Find lists the solvers of this machine, downbeat first, and says which others
// are missing. self is the command that answers as [Answer] does; python is the
// interpreter that may have OR-tools.
func Find(ctx context.Context, self []string, python string) (found []Peer, missing []string, err error) {
	found = append(found, Peer{Name: downbeatName, solve: downbeat(self)})
	if minizinc.Installed() {
		solvers, err := minizinc.Solvers(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range solvers {
			found = append(found, Peer{Name: strings.ToLower(s.Name), Version: s.Version, solve: viaMiniZinc(s)})
		}
	} else {
		missing = append(missing, "MiniZinc and its solvers (no "+minizinc.Command+" on the path)")
	}
	if version, err := ortools(ctx, python); err == nil {
		found = append(found, Peer{Name: "cp-sat", Version: version, solve: viaPython(python)})
	} else {
		missing = append(missing, fmt.Sprintf("CP-SAT (%v)", err))
	}
	return found, missing, ctx.Err()
}

// ortools asks for the version of OR-tools.
func ortools(ctx context.Context, python string) (string, error) {
	out, err := exec.CommandContext(ctx, python, "-c", "import ortools; print(ortools.__version__)").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s has no package ortools", python)
	}
	return strings.TrimSpace(string(out)), err
}

// Choose picks peers by name, in the order of the names.
func Choose(all []Peer, names []string) ([]Peer, error) {
	var chosen []Peer
	for _, name := range names {
		i := slices.IndexFunc(all, func(p Peer) bool { return p.Name == name })
		if i < 0 {
			known := make([]string, len(all))
			for k, p := range all {
				known[k] = p.Name
			}
			return nil, fmt.Errorf("no solver is called %q here; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
