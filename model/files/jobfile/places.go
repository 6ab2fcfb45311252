package jobfile

import (
	"bytes"

	"downbeat/model/files/document"

	"gopkg.in/yaml.v3"
)

// Places is in which line of the text of a job set, counted from 1, each job begins, by the
// name that it has there; empty for a text that is none.
func Places(src []byte) map[string]int {
	places := map[string]int{}
	r := document.NewReader("job set", src)
	root := r.Parse(bytes.HasPrefix(bytes.TrimLeft(r.Source(), " \t\r\n"), []byte("{")), "")
	if root == nil {
		return places
	}
	top, _ := r.Mapping(document.Field{Value: root}, "the job set")
	for _, f := range top {
		jobs := document.Deref(f.Value)
		if document.Deref(f.Key).Value != "jobs" || jobs.Kind != yaml.SequenceNode {
			continue
		}
		for _, item := range jobs.Content {
			fields, _ := r.Mapping(document.Field{Value: item}, "the job")
			for _, field := range fields {
				if document.Deref(field.Key).Value == "name" {
					places[document.Deref(field.Value).Value] = item.Line
				}
			}
		}
	}
	return places
}
