package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/usage"
	"downbeat/model/gen"
)

// newPoliciesCmd tabulates what every online policy takes on a large job set.
func newPoliciesCmd() *cobra.Command {
	var tasks int
	var seed uint64
	var policies []string
	cmd := &cobra.Command{
		Use:   "policies",
		Short: "Play a job set of 100,000 tasks under every online policy",
		Long: `Play a job set of 100,000 tasks under every online policy, each in a process of its
own that reads the file, runs the policy and has the validator pass what was run, and
print seconds, memory and how jobs fared. All but seconds and memory are the same on
every machine.`,
		Args: usage.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := peers.SortedSizes([]int{tasks}); err != nil {
				return usage.Errorf("--tasks: %v", err)
			}
			self, err := itself(playCommand)
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "peers")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			return peers.Policies(cmd.Context(), cmd.OutOrStdout(), self, gen.Scale(tasks, seed), policies, dir,
				func(policy string) { fmt.Fprintln(cmd.ErrOrStderr(), policy) })
		},
	}
	f := cmd.Flags()
	f.IntVar(&tasks, "tasks", 100_000, "size of the set, which has a slave per 100 of them")
	f.Uint64Var(&seed, "seed", 1, "which set of this size")
	f.StringArrayVar(&policies, "policy", schedulers.Names(), "only this policy, which may have parameters; may be repeated")
	return cmd
}
