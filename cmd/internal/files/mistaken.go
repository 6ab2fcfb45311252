package files

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"downbeat/cmd/internal/imports"
	"downbeat/cmd/internal/usage"
	"downbeat/model/files/document"
)

// mistaken is the fault of a file that is something else than was asked for, told in a
// line; nil where the text looks like what was wanted, or like nothing known. It is asked
// only about files that cannot be read.
func mistaken(name string, src []byte, wanted kind) error {
	found := looks(name, src)
	switch {
	case found == wanted:
		return nil
	case found == planFile:
		return usage.Errorf("%s: this is a plan; the job set comes first", name)
	case found == proofFile:
		return usage.Errorf("%s: this is a proof; the job set comes first", name)
	case found == jobSetFile:
		return usage.Errorf("%s: this is a job set, where a plan is expected", name)
	case wanted == planFile:
		return nil
	}
	if of, known := imports.Guess(src[:min(len(src), imports.HeadSize)]); known {
		return usage.Errorf("%s: this is %s; use: downbeat import %s %s", name, of.Title, of.Name, name)
	}
	if found == tableFile {
		return usage.Errorf("%s: this looks like a table (CSV); downbeat import csv reads tables with headings such as downbeat init --csv prints", name)
	}
	return nil
}

// kind is what a file holds by its looks.
type kind uint8

const (
	unknownFile kind = iota
	jobSetFile
	planFile
	tableFile
	proofFile
)

// looks tells the kind of a file by its first line, or by its fields at the top.
func looks(name string, src []byte) kind {
	src = bytes.TrimLeft(src, " \t\r\n\ufeff")
	first, _, _ := strings.Cut(string(src[:min(len(src), 1000)]), "\n")
	extension := strings.ToLower(filepath.Ext(name))
	if strings.HasPrefix(first, "downbeat proof ") {
		return proofFile
	}
	switch columns := strings.Split(strings.TrimSpace(first), ","); {
	case slices.Contains(columns, "job") && slices.Contains(columns, "task") && slices.Contains(columns, "slave"):
		return planFile
	case extension == ".csv" || len(columns) > 2 && !strings.HasPrefix(first, "#") && !strings.ContainsAny(first, ":{["):
		return tableFile
	}
	fields := topFields(src)
	switch {
	case slices.Contains(fields, "cluster"):
		return jobSetFile
	case slices.Contains(fields, "tasks"):
		return planFile
	}
	return unknownFile
}

// topFields are the names of the fields of a document, none where it has no such.
func topFields(src []byte) []string {
	r := document.NewReader("file", src)
	root := r.Parse(bytes.HasPrefix(src, []byte("{")), "")
	if root == nil {
		return nil
	}
	fields, _ := r.Mapping(document.Field{Value: root}, "the file")
	var names []string
	for _, f := range fields {
		names = append(names, document.Deref(f.Key).Value)
	}
	return names
}
