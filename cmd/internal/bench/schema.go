package bench

import (
	_ "embed"
	"slices"
)

var (
	//go:embed summary.json
	summary []byte
	//go:embed cells.json
	cells []byte
	//go:embed journal.json
	journalSchema []byte
)

// SummarySchema is the JSON Schema of what bench --format json prints.
func SummarySchema() []byte { return slices.Clone(summary) }

// CellsSchema is the JSON Schema of the files that bench writes with -o FILE.json.
func CellsSchema() []byte { return slices.Clone(cells) }

// JournalSchema is the JSON Schema of a line of a journal.
func JournalSchema() []byte { return slices.Clone(journalSchema) }
