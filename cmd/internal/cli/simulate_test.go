package cli

import (
	"context"
	"strings"
	"testing"

	"downbeat/cmd/internal/exit"
	"downbeat/online"
	"downbeat/online/basic"
)

// broken is FIFO with a fault of its own.
type broken struct {
	online.Policy
	heartbeat func(v *online.View, o *online.Offer)
}

func (b *broken) Heartbeat(v *online.View, o *online.Offer) { b.heartbeat(v, o) }

// simulateWith runs the command with a policy that no registry knows.
func simulateWith(ctx context.Context, t *testing.T, p online.Policy, input string) (code exit.Code, out, errors string) {
	s, stdout, stderr := fakeStreams(input)
	root := newRootCmd(s)
	root.RemoveCommand(root.Commands()...)
	root.AddCommand(newSimulateCmd(s, func(ctx context.Context, o *simulateOptions) error {
		o.newPolicy = func(string, uint64) (online.Policy, error) { return p, nil }
		return runSimulate(ctx, o)
	}))
	root.SetArgs([]string{"simulate", "-", "--policy", "fifo"})
	code = exit.Run(ctx, root)
	return code, stdout.String(), stderr.String()
}

// A policy that cheats, one that starves, and a run that the validator refuses
// are faults of the program; nothing of the run is shown.
func TestSimulateInternalErrors(t *testing.T) {
	for name, c := range map[string]struct {
		heartbeat func(v *online.View, o *online.Offer)
		want      string
	}{
		"cheat":  {func(v *online.View, _ *online.Offer) { v.Job(7) }, "simulating fifo: at 0, policy fifo looks at job 7"},
		"starve": {func(*online.View, *online.Offer) {}, "simulating fifo: policy fifo never hands out load/map/1"},
		// It takes a core away behind the simulator's back.
		"invalid plan": {func(v *online.View, o *online.Offer) {
			v.Slaves()[0].Cores = 1
			basic.FIFO().Heartbeat(v, o)
		}, "simulating fifo: the plan is not valid, 1 violation:\n  C4: "},
	} {
		t.Run(name, func(t *testing.T) {
			two := strings.Replace(small, "slots: 2", "cores: 2, slots: 2", 1)
			code, out, stderr := simulateWith(t.Context(), t, &broken{basic.FIFO(), c.heartbeat}, two)
			if code != exit.Internal || out != "" || !strings.HasPrefix(stderr, "downbeat: internal error: "+c.want) {
				t.Errorf("exit code %d, output %q, errors %q", code, out, stderr)
			}
		})
	}
}

// An interrupt ends a run, with code 3 and nothing shown.
func TestSimulateInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &broken{basic.FIFO(), func(v *online.View, o *online.Offer) {
		cancel() // as a signal does
		basic.FIFO().Heartbeat(v, o)
	}}
	// More events than pass between two looks at the context.
	many := strings.Replace(small, "tasks: 2", "tasks: 9000", 1)
	code, out, stderr := simulateWith(ctx, t, p, many)
	if code != exit.Unknown || out != "" || stderr != "interrupted: fifo was not played to its end\n" {
		t.Errorf("exit code %d, output %q, errors %q", code, out, stderr)
	}
}
