package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"downbeat/internal/testkit/schematest"
)

// The schema takes what is written and no slips in it, and says what the types say.
func TestSchema(t *testing.T) {
	schematest.Types{Of: map[string]any{
		"#": struct {
			Sum string `json:"crc32c"`
		}{},
		"#/$defs/header": header{}, "#/$defs/flag": Flag{}, "#/$defs/part": task{}, "#/$defs/piece": piece{},
	}, As: map[reflect.Type]any{reflect.TypeFor[json.RawMessage](): new(any)}}.Check(t, Schema())
	path := filepath.Join(t.TempDir(), "j.jsonl")
	of := call("5")
	of.Set = "sha256:" + strings.Repeat("0", 64)
	p, err := OpenPieces(path, nil, of, Shard{1, 2})
	if err == nil {
		err = errors.Join(p.Add("a", map[string]int{"fits": 1}), p.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	schema := schematest.Compile(t, Schema(), "")
	for line := range bytes.Lines(src) {
		if err := schema.Validate(schematest.Value(t, line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for old, other := range map[string]string{`"version":1`: `"version":2`, `"piece":"a"`: `"piece":""`, `"shard":"1/2"`: `"shard":"1"`, `"name":"seed"`: `"named":"seed"`, `"crc32c":"`: `"crc32c":"z`} {
		changed := bytes.Replace(src, []byte(old), []byte(other), 1)
		if bytes.Equal(changed, src) {
			t.Errorf("there is no %s", old)
		}
		taken := true
		for line := range bytes.Lines(changed) {
			taken = taken && schema.Validate(schematest.Value(t, line)) == nil
		}
		if taken {
			t.Errorf("%s in place of %s is taken", other, old)
		}
	}
}
