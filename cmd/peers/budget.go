package main

import (
	"github.com/spf13/cobra"

	"downbeat/cmd/internal/peers"
	"downbeat/cmd/internal/usage"
)

// newBudgetCmd tabulates values against budgets of counted work.
func newBudgetCmd() *cobra.Command {
	var budgets []int64
	cmd := &cobra.Command{
		Use:   "budget FOLDER|FILE|family:NAME:SEEDS...",
		Short: "Plan job sets with budgets of counted work",
		Long: `Plan every job set with each budget and print what came out. All but the times
are the same on every machine.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, n := range budgets {
				if n < 1 {
					return usage.Errorf("--budgets: %d is no amount of work", n)
				}
			}
			sets, forget, err := load(args, "")
			if err != nil {
				return err
			}
			defer forget()
			return peers.Budgets(cmd.Context(), cmd.OutOrStdout(), sets, budgets)
		},
	}
	cmd.Flags().Int64SliceVar(&budgets, "budgets", []int64{100, 1000, 10000}, "how much work, counted in constructions of a plan")
	return cmd
}
