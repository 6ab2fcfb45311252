package external

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the fields into docs/exec-policies.md")

// node is a part of the schema.
type node struct {
	Ref         string          `json:"$ref"`
	Type        any             `json:"type"`
	Const       any             `json:"const"`
	Enum        []string        `json:"enum"`
	Description string          `json:"description"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
	Items       *node           `json:"items"`
	OneOf       []*node         `json:"oneOf"`
}

// fieldsPage tells of every field, as the schema has it.
type fieldsPage struct {
	t    *testing.T
	defs map[string]*node
	text strings.Builder
}

func (p *fieldsPage) resolve(n *node) *node {
	if name, is := strings.CutPrefix(n.Ref, "#/$defs/"); is {
		of := *p.defs[name]
		if n.Description != "" {
			of.Description = n.Description
		}
		return &of
	}
	return n
}

// holds says in a few words what a field holds.
func (p *fieldsPage) holds(n *node) string {
	switch {
	case n.Const != nil:
		return fmt.Sprintf("`%v`", n.Const)
	case n.Enum != nil:
		return "`" + strings.Join(n.Enum, "`, `") + "`"
	case n.Type == "array" && n.Items != nil:
		if items := p.resolve(n.Items); len(items.Enum) > 0 {
			return "some of " + p.holds(items)
		}
		return "a list"
	}
	words := map[string]string{"integer": "a whole number", "number": "a number", "string": "a text", "boolean": "`true` or `false`", "object": "an object"}
	if word := words[fmt.Sprint(n.Type)]; word != "" {
		return word
	}
	return fmt.Sprint(n.Type)
}

// rows are those of the fields of an object, in the order of the schema, and of what is below them.
func (p *fieldsPage) rows(n *node, before string) {
	if n.Properties == nil {
		return
	}
	names, byName := ordered(p.t, n.Properties)
	for _, name := range names {
		of := p.resolve(byName[name])
		if of.Description == "" {
			p.t.Errorf("the schema does not say what %s%s is", before, name)
		}
		when := ""
		if !slices.Contains(n.Required, name) {
			when = " (optional)"
		}
		fmt.Fprintf(&p.text, "| `%s%s` | %s | %s%s |\n", before, name, p.holds(of), strings.TrimSuffix(of.Description, "."), when)
		below := of
		if of.Items != nil {
			below = p.resolve(of.Items)
		}
		if below.Properties != nil && byName[name].Ref == "" && (of.Items == nil || of.Items.Ref == "") {
			p.rows(below, before+name+".")
		}
	}
}

// ordered are the fields of an object in the order in which they are written.
func ordered(t *testing.T, object json.RawMessage) (names []string, byName map[string]*node) {
	if err := json.Unmarshal(object, &byName); err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(strings.NewReader(string(object)))
	depth := 0
	for {
		token, err := in.Token()
		if err != nil {
			break
		}
		switch v := token.(type) {
		case json.Delim:
			depth += map[json.Delim]int{'{': 1, '[': 1, '}': -1, ']': -1}[v]
		case string:
			if depth == 1 && byName[v] != nil && !slices.Contains(names, v) {
				names = append(names, v)
				var skip json.RawMessage
				if err := in.Decode(&skip); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(names) != len(byName) {
		t.Fatalf("%d of %d fields: %v", len(names), len(byName), slices.Sorted(maps.Keys(byName)))
	}
	return names, byName
}

func (p *fieldsPage) part(title string, n *node) {
	description := n.Description
	fmt.Fprintf(&p.text, "\n%s", title)
	if description != "" {
		fmt.Fprintf(&p.text, " %s", description)
	}
	p.text.WriteString("\n\n| field | holds | means |\n|---|---|---|\n")
	p.rows(n, "")
}

const fieldsHead = "\n## Every field\n"

// The page has every field of the schema with what it means; -update writes them.
func TestFieldsOfPage(t *testing.T) {
	var schema struct {
		Defs map[string]*node `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	p := &fieldsPage{t: t, defs: schema.Defs}
	p.text.WriteString(fieldsHead + "\nWhat `downbeat schema policy` says, as tables: first the lines to a program, then its answers.\n")
	for _, name := range []string{"start", "admit", "rank", "heartbeat", "end"} {
		p.part(fmt.Sprintf("**`%s`.**", name), schema.Defs[name])
	}
	p.part("**Each of `jobs`.**", schema.Defs["state"])
	p.part("**Each of `candidates`.**", schema.Defs["candidate"])
	for _, e := range schema.Defs["event"].OneOf {
		_, fields := ordered(t, e.Properties)
		p.part("**Event "+p.holds(fields["event"])+".**", e)
	}
	for _, name := range []string{"hello", "admission", "keys"} {
		p.part("**Answer:**", schema.Defs[name])
	}
	for _, n := range schema.Defs["tasks"].OneOf {
		p.part("**Answer:** Answer to a heartbeat.", n)
	}
	const path = "../../docs/exec-policies.md"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(src), fieldsHead)
	want := before + p.text.String()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(src) {
		t.Error("docs/exec-policies.md has not the fields as the schema has them; -update writes them")
	}
}
