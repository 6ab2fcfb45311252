package jobfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit/schematest"
	"downbeat/model/files/document"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// asValue is what a schema gets to see of a file; an error if the file holds
// no single value that JSON could hold too.
func asValue(file string, src []byte) (any, error) {
	if IsJSON(file, src) {
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
	"pools-many.yaml":                 bySum,
	"pools-none.yaml":                 byNames,
	"pools-too-little.yaml":           bySum,
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

// The schema names the fields, the required ones and the words that Load knows, and no others:
// Load lists them itself where something else stands in the place of an object or of a word.
func TestSchemaIsWhatLoadKnows(t *testing.T) {
	var root any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	at := func(fragment string) map[string]any {
		part := root
		for _, step := range strings.Split(fragment, "/")[1:] {
			part = part.(map[string]any)[step]
		}
		return part.(map[string]any)
	}
	texts := func(v any) (out []string) {
		list, _ := v.([]any)
		for _, e := range list {
			out = append(out, e.(string))
		}
		return out
	}
	said := func(file string) string {
		_, err := Load("jobs.yaml", []byte(file))
		if err == nil {
			t.Fatalf("%s loads", file)
		}
		return err.Error()
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	const head = "version: 1\ncluster: {heartbeat: 3, slaves: [{name: s}]}\n"
	objects := map[string]string{ // files with ? in the place of an object
		"#": "?", "#/$defs/cluster": "version: 1\njobs: [{name: j, map: {tasks: 1, wcet: 1}}]\ncluster: ?",
		"#/$defs/slave": "version: 1\njobs: [{name: j, map: {tasks: 1, wcet: 1}}]\ncluster: {heartbeat: 3, slaves: [?]}",
		"#/$defs/level": "version: 1\njobs: [{name: j, map: {tasks: 1, wcet: 1}}]\ncluster: {heartbeat: 3, slaves: [{name: s}], pools: {db: [?]}}",
		"#/$defs/job":   head + "jobs: [?]", "#/$defs/stage": head + "jobs: [{name: j, map: ?}]", "#/$defs/namedStage": head + "jobs: [{name: j, stages: [?]}]",
		"#/$defs/group": head + "jobs: [{name: j, map: {tasks: [?]}}]", "#/$defs/job/properties/repeat": head + "jobs: [{name: j, repeat: ?, map: {tasks: 1, wcet: 1}}]",
	}
	of, lacks := regexp.MustCompile("write its fields: (.*)"), regexp.MustCompile("has no ([a-z_]+); add")
	for fragment, file := range objects {
		s := at(fragment)
		names := slices.DeleteFunc(slices.Collect(maps.Keys(s["properties"].(map[string]any))), func(name string) bool { return name == "$schema" })
		m := of.FindStringSubmatch(said(strings.Replace(file, "?", "x", 1)))
		if m == nil {
			t.Errorf("%s: no fields are listed", fragment)
			continue
		}
		if diff := cmp.Diff(sorted(strings.Split(m[1], ", ")), sorted(names)); diff != "" {
			t.Errorf("%s: fields (-Load +schema):\n%s", fragment, diff)
		}
		var required []string
		for _, m := range lacks.FindAllStringSubmatch(said(strings.Replace(file, "?", "{}", 1)), -1) {
			if slices.Contains(names, m[1]) {
				required = append(required, m[1])
			}
		}
		if fragment == "#/$defs/group" || fragment == "#/$defs/stage" || fragment == "#/$defs/namedStage" {
			required = slices.DeleteFunc(required, func(name string) bool { return name == "wcet" }) // of stage or group, as stageRules says
		}
		if diff := cmp.Diff(sorted(required), sorted(texts(s["required"]))); diff != "" {
			t.Errorf("%s: required (-Load +schema):\n%s", fragment, diff)
		}
	}
	words := map[string]string{ // files with ? in the place of a word
		"#/$defs/cluster/properties/fetch": "version: 1\njobs: [{name: j, map: {tasks: 1, wcet: 1}}]\ncluster: {heartbeat: 3, fetch: ?, slaves: [{name: s}]}",
		"#/$defs/objective":                head + "jobs: [{name: j, map: {tasks: 1, wcet: 1}}]\nobjective: ?", "#/$defs/namedStage/properties/slot": head + "jobs: [{name: j, stages: [{name: s, slot: ?, tasks: 1, wcet: 1}]}]",
	}
	oneOf := regexp.MustCompile("write one of (.*)")
	for fragment, file := range words {
		m := oneOf.FindStringSubmatch(said(strings.Replace(file, "?", "zzz", 1)))
		if m == nil {
			t.Errorf("%s: no words are listed", fragment)
			continue
		}
		if diff := cmp.Diff(sorted(strings.Split(m[1], ", ")), sorted(texts(at(fragment)["enum"]))); diff != "" {
			t.Errorf("%s: words (-Load +schema):\n%s", fragment, diff)
		}
	}
	var objectsOf func(fragment string, v any)
	objectsOf = func(fragment string, v any) { // none is left out
		switch v := v.(type) {
		case map[string]any:
			if _, closed := v["additionalProperties"].(bool); closed && objects[fragment] == "" && fragment != "#/$defs/transfer/anyOf/1" {
				t.Errorf("%s is an object that is not tried", fragment)
			}
			for key, part := range v {
				objectsOf(fragment+"/"+key, part)
			}
		case []any:
			for k, part := range v {
				objectsOf(fmt.Sprintf("%s/%d", fragment, k), part)
			}
		}
	}
	objectsOf("#", root)
	transfer := at("#/$defs/transfer")["anyOf"].([]any)[1].(map[string]any) // by place, as for wcet by class
	if got := sorted(texts(transfer["required"])); !slices.Equal(got, []string{"local", "remote"}) || !slices.Equal(got, sorted(slices.Collect(maps.Keys(transfer["properties"].(map[string]any))))) {
		t.Errorf("transfer by place has %q", got)
	}
}
