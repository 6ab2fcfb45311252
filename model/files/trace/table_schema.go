package trace

import (
	"bytes"
	"encoding/json"
	"strings"
)

// form is how the cells of a column are written.
type form string

const (
	anyText     form = ""
	naming      form = "a name"
	counting    form = "a count"
	tableNumber form = "a number"
	lasting     form = "a duration"
	moment      form = "a point in time"
	amount      form = "an amount of memory"
	answer      form = "yes or no"
	slotKind    form = "a kind of slot"
)

// Parts of patterns.
const (
	numberPattern = `[0-9]+([.,][0-9]+)?`
	// unitsPattern is a duration with units, or a number of days.
	unitsPattern = `([0-9]+(\.[0-9]+)?(h|ms|m|s|us|ns))+|[0-9]{1,4}d`
	// clockPattern is a time of day, also of a later day and of another zone.
	clockPattern = `(\+[0-9]{1,6}d )?([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?([+-][0-9]{2}:[0-9]{2})?`
	datePattern  = `[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?)?`
)

// patterns are the texts that a cell of a form may have beside none.
var patterns = map[form]string{
	counting:    `[1-9][0-9]{0,5}|1000000`,
	tableNumber: numberPattern,
	lasting:     numberPattern + `|` + unitsPattern + `|[0-9]+:[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?`,
	moment:      datePattern + `|` + clockPattern + `|\+?(` + unitsPattern + `)`,
	amount:      numberPattern + ` ?([kKmMgGtT][iI]?)?[bB]?`,
	answer:      `(?:[yY]es|YES|[tT]rue|TRUE|[yY]|1|[xX]|[hH]ard|[nN]o|NO|[fF]alse|FALSE|[nN]|0|[sS]oft)`,
	slotKind:    `map|reduce`,
}

// property is the schema of a cell.
type property struct {
	Type        string   `json:"type,omitempty"`
	Ref         string   `json:"$ref,omitempty"`
	Description string   `json:"description,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	Examples    []string `json:"examples,omitempty"`
}

// cell is the schema of a cell of the column.
func (c *tableColumn) cell() property {
	p := property{Type: "string", Description: c.Help}
	if pattern := patterns[c.form]; pattern != "" {
		p.Pattern = `^(` + pattern + `)?$`
	} else if c.form == naming {
		p.Pattern = `\S`
	}
	if c.Example != "" {
		p.Examples = []string{c.Example}
	}
	return p
}

// filled asks for one of the columns, by any of its headings, with something in the cell.
type filled struct {
	Required   []string             `json:"required"`
	Properties map[string]minLength `json:"properties"`
}

type minLength struct {
	MinLength int `json:"minLength"`
}

// headings are the column's name and those that stand for it.
func (c *tableColumn) headings() []string { return append([]string{c.Name}, c.Synonyms...) }

// oneOf asks for a cell in one of the columns.
func oneOf(names ...string) (out []filled) {
	for i := range tableColumns {
		for _, name := range names {
			if tableColumns[i].Name != name {
				continue
			}
			for _, h := range tableColumns[i].headings() {
				out = append(out, filled{[]string{h}, map[string]minLength{h: {1}}})
			}
		}
	}
	return out
}

type anyOf struct {
	AnyOf []filled `json:"anyOf"`
}

// TableSchema is a JSON Schema (draft 2020-12) of a line of a table: an object with the text of
// each cell by its heading, as tools that turn CSV into JSON make it. It asks for spellings
// that Read takes, which takes some more.
func TableSchema() []byte {
	properties := map[string]property{}
	for i := range tableColumns {
		c := &tableColumns[i]
		properties[c.Name] = c.cell()
		for _, s := range c.Synonyms {
			properties[s] = property{Ref: "#/properties/" + c.Name}
		}
	}
	doc := struct {
		Schema      string              `json:"$schema"`
		Title       string              `json:"title"`
		Description string              `json:"description"`
		Type        string              `json:"type"`
		Properties  map[string]property `json:"properties"`
		AllOf       []anyOf             `json:"allOf"`
	}{
		"https://json-schema.org/draft/2020-12/schema", "downbeat table",
		strings.Join([]string{
			"A line of a table of tasks, which import csv reads: the text of each cell by its heading, in small letters.",
			"A line is a stage of a job, or a number of equal tasks of a stage; cells that would repeat may be empty.",
			"Other headings are passed over, and those that start with x- are yours.",
		}, " "),
		"object", properties,
		[]anyOf{{oneOf("job")}, {oneOf("minutes", "seconds", "hours", "duration", "end")}},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		panic("table: the schema is not JSON: " + err.Error()) // plain data
	}
	return out.Bytes()
}
