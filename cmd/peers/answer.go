package main

import (
	"os"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/peers"
)

// answerCommand makes the program answer for downbeat, as one of the solvers.
const answerCommand = "answer"

func newAnswerCmd() *cobra.Command {
	return &cobra.Command{
		Use:    answerCommand + " FILE LIMIT WORKERS",
		Short:  "Answer for downbeat, as one of the solvers",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return peers.AnswerFile(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
}

// itself is the command that answers for downbeat.
func itself() ([]string, error) {
	path, err := os.Executable()
	return []string{path, answerCommand}, err
}
