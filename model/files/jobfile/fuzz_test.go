package jobfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"downbeat/internal/testkit/schematest"
	"downbeat/model/files/document"
)

// FuzzLoad: whatever the text, Load answers with a job set or with faults at
// places that exist, and what it accepts is valid under the schema and
// survives being written.
func FuzzLoad(f *testing.F) {
	schema := schematest.Compile(f, Schema(), "")
	for _, folder := range []string{"ok", "err"} {
		for _, file := range inputs(f, folder) {
			f.Add(strings.HasSuffix(file, ".json"), read(f, file))
		}
	}
	f.Fuzz(func(t *testing.T, isJSON bool, src []byte) {
		name := "x.yaml"
		if isJSON {
			name = "x.json"
		}
		js, err := Load(name, src)
		if err != nil {
			var faults *document.Faults
			if js != nil || !errors.As(err, &faults) {
				t.Fatalf("error %v (%T), job set %v", err, err, js != nil)
			}
			checkFaults(t, faults, src)
			return
		}
		if cost := len(js.Tasks) + len(js.Slaves); cost > 2_000 {
			return // fine, and slow to write out
		}
		rewritten(t, js)
		v, err := asValue(name, src)
		if err != nil {
			t.Fatalf("loads, but holds no value: %v", err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatalf("loads, but is not valid under the schema: %v", err)
		}
	})
}

// checkFaults checks number, order, places and looks of faults.
func checkFaults(t *testing.T, faults *document.Faults, src []byte) {
	t.Helper()
	if len(faults.List) == 0 || len(faults.List) > document.MaxFaults || faults.More > 0 && len(faults.List) < document.MaxFaults {
		t.Fatalf("%d faults and %d more", len(faults.List), faults.More)
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")))), "\n")
	for i, fault := range faults.List {
		if fault.Line < 1 || fault.Line > len(lines) {
			t.Fatalf("%d:%d is not within %d lines: %s", fault.Line, fault.Column, len(lines), fault)
		}
		if width := utf8.RuneCountInString(lines[fault.Line-1]); fault.Column < 1 || fault.Column > width+1 {
			t.Fatalf("%d:%d is not within the %d columns of its line: %s", fault.Line, fault.Column, width, fault)
		}
		if fault.Message == "" || strings.ContainsAny(fault.String(), "\n\r\x1b") {
			t.Fatalf("the message is not a line: %q", fault)
		}
		if i > 0 {
			before := faults.List[i-1]
			if before.Line > fault.Line || before.Line == fault.Line && before.Column > fault.Column {
				t.Fatalf("%d:%d comes after %d:%d", before.Line, before.Column, fault.Line, fault.Column)
			}
		}
	}
	if !utf8.ValidString(faults.Error()) {
		t.Fatalf("the message is not UTF-8: %q", faults.Error())
	}
}
