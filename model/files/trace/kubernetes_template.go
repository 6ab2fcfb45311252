package trace

import (
	"bytes"
	"encoding/json"
)

// PodTemplate is what a Job, or the Jobs of a CronJob, are to run: the template of their pods, with
// objects as map[string]any, lists as []any, and numbers as int64 or float64.
type PodTemplate struct {
	Namespace, Name string
	Template        map[string]any
	// Indexed tells that pods learn which of the completions they are for.
	Indexed bool
}

// PodTemplates reads the templates of the Jobs and CronJobs in a file of kubectl's; what else is in it
// is passed over.
func PodTemplates(in *Input, t *Trace) ([]PodTemplate, error) {
	var out []PodTemplate
	err := kubeObjects(in, t, func(o *kubeObject) error {
		type job struct {
			Template       json.RawMessage
			CompletionMode Text
		}
		var spec struct {
			job
			JobTemplate struct{ Spec job }
		}
		if o.Kind != "Job" && o.Kind != "CronJob" {
			return nil
		}
		if err := o.part(o.Spec, &spec); err != nil {
			return err
		}
		of := spec.job
		if o.Kind == "CronJob" {
			of = spec.JobTemplate.Spec
		}
		if len(of.Template) == 0 {
			return nil
		}
		numbers := json.NewDecoder(bytes.NewReader(of.Template))
		numbers.UseNumber()
		var template map[string]any
		if err := numbers.Decode(&template); err != nil {
			return &WrongShape{Fault{Place: o.at, Message: string(o.Kind) + " " + Name(string(o.Metadata.Name)) + " has a template that is no object"}}
		}
		plain, _ := plainNumbers(template).(map[string]any) // as it was
		out = append(out, PodTemplate{string(o.Metadata.Namespace), string(o.Metadata.Name), plain, of.CompletionMode == "Indexed"})
		return nil
	})
	return out, err
}

// plainNumbers makes numbers of JSON those of Go.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, of := range v {
			v[key] = plainNumbers(of)
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // a number of JSON; one too large for Go becomes the largest
		return f
	}
	return v
}
