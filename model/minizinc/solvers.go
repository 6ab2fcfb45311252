package minizinc

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Solver is a solver that the driver knows.
type Solver struct {
	// ID is unique ("org.chuffed.chuffed"), Name what people call it.
	ID, Name, Version string
	// Flags of the driver that the solver follows: "-f" free search, "-p"
	// threads, "-r" seed, and so on.
	Flags []string `json:"stdFlags"`
	// GUI marks a solver that opens a window.
	GUI bool `json:"isGUIApplication"`
}

// Follows reports whether the solver takes a flag of the driver.
func (s *Solver) Follows(flag string) bool { return slices.Contains(s.Flags, flag) }

// Solvers lists the solvers that can be run, in the driver's order. Those whose
// library is not there (the driver does not know their version then) and those
// with a window are left out.
func Solvers(ctx context.Context) ([]Solver, error) {
	out, err := exec.CommandContext(ctx, Command, "--solvers-json").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --solvers-json: %w", Command, err)
	}
	return readSolvers(out)
}

func readSolvers(text []byte) ([]Solver, error) {
	var all []Solver
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s --solvers-json: %w", Command, err)
	}
	return slices.DeleteFunc(all, func(s Solver) bool {
		return s.GUI || s.Version == "" || strings.Contains(s.Version, "unknown")
	}), nil
}
