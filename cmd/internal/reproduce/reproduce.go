// Package reproduce regenerates the tables and figures of the papers, side by
// side with what was published, as a report in Markdown with plots.
//
// Figures that come out otherwise than published are reported as they came out.
// Whatever a paper leaves open is stated, with how the result moves with it.
package reproduce

import (
	"context"
)

// Paper is a paper whose results can be regenerated.
type Paper struct {
	Name, Title string
	write       func(ctx context.Context, d *document, o Options) error
}

// Papers lists what there is, in order of name.
func Papers() []Paper {
	return []Paper{
		{"maxweight", "Map Task Scheduling in MapReduce with Data Locality (Wang, Zhu, Ying, Tan, Zhang; 2013)", writeMaxWeight},
		{"penn", "Real-Time MapReduce Scheduling (Phan, Zhang, Loo, Lee; 2010)", writePenn},
		{"rds", "Resource and Deadline-aware Job Scheduling in Dynamic Hadoop Clusters (Cheng, Rao, Jiang, Zhou; 2015)", writeRDS},
		{"rtmr", "Real-Time Scheduling in MapReduce Clusters (He, Lu, Swanson; 2013)", writeRTMR},
	}
}

// Run makes the report of a paper. Its files belong into a folder of their own.
func (p Paper) Run(ctx context.Context, o Options) ([]File, error) {
	var d document
	d.heading(1, p.Title)
	if err := p.write(ctx, &d, o); err != nil {
		return nil, err
	}
	return d.files()
}
