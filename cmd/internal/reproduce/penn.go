package reproduce

import (
	"context"

	"downbeat/online/workload"
)

func writePenn(ctx context.Context, d *document, o Options) error {
	d.para("Platform factors are run under FIFO over %d seeds; figures are means with 95 %% intervals.", o.Seeds)
	for _, write := range []func(context.Context, *document, Options) error{writePlacement, writeHeartbeat, writeRatio} {
		if err := write(ctx, d, o); err != nil {
			return err
		}
	}
	d.heading(2, "What the paper leaves open")
	d.list(workload.NewEC2().Assumptions())
	return nil
}
