package jobfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"downbeat/internal/testkit/schematest"
	"downbeat/model/files/document"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// asValue is what a schema gets to see of a file; an error if the file holds
// no single value that JSON could hold too.
func asValue(file string, src []byte) (any, error) {
	if isJSON(file, src) {
		return jsonschema.UnmarshalJSON(bytes.NewReader(src))
	}
	r := document.NewReader("job set", src)
	root := r.Parse(false, "")
	if root == nil {
		return nil, r.Err(file)
	}
	asText(root)
	var v any
	if err := root.Decode(&v); err != nil {
		return nil, err
	}
	return v, jsonKeys(v)
}

// asText keeps the decoder from turning points in time, and keys of any form,
// into types that JSON does not have.
func asText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for i, c := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if isKey && c.Kind == yaml.ScalarNode && c.Tag != "!!merge" && c.Tag != "!!null" {
			c.Tag = "!!str"
		}
		asText(c)
	}
}

func jsonKeys(v any) error {
	switch v := v.(type) {
	case map[any]any:
		return fmt.Errorf("keys that are no text: %v", v)
	case map[string]any:
		for _, e := range v {
			if err := jsonKeys(e); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range v {
			if err := jsonKeys(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestSchemaAcceptsWhatLoads(t *testing.T) {
	schema := schematest.Compile(t, Schema(), "")
	for _, file := range inputs(t, "ok") {
		v, err := asValue(file, read(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Why a schema cannot refuse what Load refuses.
const (
	byForm     = "a schema sees the value, not how it is written"
	byNames    = "a schema cannot compare names across the file"
	bySum      = "a schema cannot add or compare numbers"
	byUnit     = "a schema cannot compute with durations"
	byCoverage = "whether slaves are covered follows from several tables"
)

// beyondSchema lists the broken files that are valid under the schema.
var beyondSchema = map[string]string{
	"barred-no-overlap.yaml":          byCoverage,
	"barred-no-reduce-slot.yaml":      byCoverage,
	"barred-one-left.yaml":            byCoverage,
	"group-local-without-data.yaml":   byCoverage,
	"transfer-gap-in-group.yaml":      byCoverage,
	"transfer-gap.yaml":               byCoverage,
	"cores-odd-forms.yaml":            byForm,
	"fifo-capital.yaml":               byForm,
	"json-duplicate.json":             byForm,
	"json-half-pair.json":             byForm,
	"class-member-taken.yaml":         byNames,
	"class-name-long.yaml":            byNames,
	"needs-not-at-once.yaml":          byCoverage,
	"needs-too-many-cores.yaml":       byCoverage,
	"needs-too-much.yaml":             byCoverage,
	"resources-of-no-slot.yaml":       byCoverage,
	"after-cycle.yaml":                byNames,
	"after-itself.yaml":               byNames,
	"after-long-cycle.yaml":           byNames,
	"after-unknown.yaml":              byNames,
	"needs-none-offered.yaml":         byNames,
	"needs-unknown.yaml":              byNames,
	"resources-too-many.yaml":         byNames,
	"stage-after-cycle.yaml":          byNames,
	"clock-before-origin.yaml":        byUnit,
	"clock-gap.yaml":                  byUnit,
	"clock-gap-in-repeat.yaml":        byUnit,
	"clock-offset.yaml":               byUnit,
	"down-clock-reversed.yaml":        byUnit,
	"repeat-counts.yaml":              byNames,
	"repeat-names.yaml":               byNames,
	"repeat-cycle.yaml":               byNames,
	"repeat-too-many.yaml":            bySum,
	"repeat-too-far.yaml":             bySum,
	"zone-far.yaml":                   byNames,
	"data-unknown.yaml":               byNames,
	"job-name-twice.yaml":             byNames,
	"slave-name-of-class-member.yaml": byNames,
	"slave-name-twice.yaml":           byNames,
	"slaves-in-stage-unknown.yaml":    byNames,
	"stage-name-twice.yaml":           byNames,
	"wcet-unknown-number.yaml":        byNames,
	"wcet-unknown-slave.yaml":         byNames,
	"count-sum-huge.yaml":             bySum,
	"down-reversed.yaml":              bySum,
	"first-heartbeat-short-list.yaml": bySum,
	"tasks-too-many.yaml":             bySum,
	"duration-not-whole.yaml":         byUnit,
	"duration-too-long.yaml":          byUnit,
	"duration-without-unit.yaml":      byUnit,
	"time-unit-fraction.yaml":         byUnit,
}

func TestSchemaRefusesWhatDoesNotLoad(t *testing.T) {
	schema := schematest.Compile(t, Schema(), "")
	used := map[string]bool{}
	for _, file := range inputs(t, "err") {
		base := filepath.Base(file)
		v, err := asValue(file, read(t, file))
		if err == nil {
			err = schema.Validate(v)
		}
		_, excused := beyondSchema[base]
		used[base] = excused
		switch {
		case err == nil && !excused:
			t.Errorf("%s is valid under the schema, and beyondSchema does not say why", base)
		case err != nil && excused:
			t.Errorf("%s is in beyondSchema, but the schema refuses it: %v", base, err)
		}
	}
	for base := range beyondSchema {
		if !used[base] {
			t.Errorf("beyondSchema names %s, which is not in testdata/err", base)
		}
	}
}
