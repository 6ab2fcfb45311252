package online

import (
	"context"

	"downbeat/model"
	"downbeat/model/verify"
)

// Play is [Run] with the plan that was carried out handed to the validator,
// which knows nothing of the simulator. A run whose plan breaks a rule is an
// error, one of the program.
func Play(ctx context.Context, js *model.JobSet, p Policy, opts Options) (*Outcome, error) {
	out, err := Run(ctx, js, p, opts)
	if err != nil {
		return nil, err
	}
	if err := verify.Plan(js, out.Plan()).Err(); err != nil {
		return nil, err
	}
	return out, nil
}
