// Topics has what help tells beside the commands: the rules of plans, exit codes,
// fields of job sets, and words. Each text has one source: package model/check, package
// exit, the schema of job sets, and package words.

package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/words"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
)

// topicCommands are help topics: commands that do nothing and have a help text.
func topicCommands() []*cobra.Command {
	glossary := topic("words", "Words in reports that may be new", wordList)
	whole := glossary.HelpFunc()
	glossary.ValidArgs = words.Names()
	glossary.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if w := words.Named(strings.Join(args, " ")); w != nil {
			var b strings.Builder
			entry(&b, 0, wordsAt, w.Name, w.Meaning)
			fmt.Fprint(cmd.OutOrStdout(), b.String())
			return
		}
		whole(cmd, args)
	})
	return []*cobra.Command{
		topic("rules", "The rules that plans keep, by the names that validate uses", rules),
		topic("exit-codes", "What exit codes mean", exitCodes),
		topic("format", "The fields of a job set", format),
		topic("workloads", "The workloads that a bench draws job sets from", workloadTopics),
		glossary,
	}
}

func topic(name, short string, text func() string) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s.\n\n%s", short, text())
	})
	return cmd
}

// columns is the width of the texts.
const columns = 80

func rules() string {
	var b strings.Builder
	for _, r := range check.Rules() {
		entry(&b, 0, 11, r.Name, r.Meaning)
	}
	b.WriteString("\nC0 to C8 are named as in Phan, Zhang, Loo and Lee, Real-Time MapReduce\nScheduling (2010).\n")
	return b.String()
}

func exitCodes() string {
	var b strings.Builder
	for _, m := range exit.Meanings() {
		entry(&b, 0, 4, fmt.Sprint(int(m.Code)), m.Text)
	}
	return b.String()
}

// wordsAt is the column of what words mean.
const wordsAt = 17

func wordList() string {
	var b strings.Builder
	for _, w := range words.All() {
		entry(&b, 0, wordsAt, w.Name, w.Meaning)
	}
	return b.String()
}

// entry writes a word at an indent, and from a column on what it means.
func entry(b *strings.Builder, indent, at int, word, text string) {
	line := strings.Repeat(" ", indent) + word
	if len(line) >= at {
		at = len(line) + 2
	}
	line += strings.Repeat(" ", at-len(line))
	for i, w := range strings.Fields(text) {
		switch {
		case i == 0:
		case len([]rune(line))+1+len([]rune(w)) > columns:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", at)
		default:
			line += " "
		}
		line += w
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// field is what the schema says of one.
type field struct {
	Title, Description string
	Ref                string  `json:"$ref"`
	Items              *field  `json:"items"`
	OneOf              []field `json:"oneOf"`
	Properties         fields  `json:"properties"`
}

// UnmarshalJSON passes over what only allows or forbids: true and false.
func (f *field) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	type plain field
	return json.Unmarshal(text, (*plain)(f))
}

// fields are those of an object in the order of the schema.
type fields []topicsNamed

type topicsNamed struct {
	name  string
	field field
}

// UnmarshalJSON keeps the order.
func (f *fields) UnmarshalJSON(text []byte) error {
	in := json.NewDecoder(strings.NewReader(string(text)))
	if _, err := in.Token(); err != nil {
		return err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		one := topicsNamed{name: fmt.Sprint(name)}
		if err := in.Decode(&one.field); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}

// topicsSchema is that of job sets, as far as its fields go.
type topicsSchema struct {
	Properties fields           `json:"properties"`
	Defs       map[string]field `json:"$defs"`
}

// format lists the fields of a job set as the schema describes them.
func format() string {
	var s topicsSchema
	if err := json.Unmarshal(jobfile.Schema(), &s); err != nil {
		panic("topics: the schema is not JSON: " + err.Error()) // a test reads it
	}
	var b strings.Builder
	b.WriteString("YAML, or JSON with the same fields.\n\n")
	s.list(&b, s.Properties, 0, map[string]bool{})
	b.WriteString("\ndownbeat schema prints all of this for editors and other programs.\n")
	return b.String()
}

// list writes fields, and below each its own the first time that they come up.
func (s *topicsSchema) list(b *strings.Builder, all fields, indent int, seen map[string]bool) {
	for _, f := range all {
		def, ref := s.resolve(f.field)
		title, text := f.field.Title, f.field.Description
		if title == "" {
			title = def.Title
		}
		if text == "" {
			text = def.Description
		}
		entry(b, indent, indent+14, f.name, title+". "+text)
		inner, of := def, ref
		for _, one := range append(def.OneOf, def) {
			if one.Items != nil {
				inner, of = s.resolve(*one.Items)
			}
		}
		if len(inner.Properties) == 0 || seen[of] {
			continue
		}
		seen[of] = true
		s.list(b, inner.Properties, indent+2, seen)
	}
}

// resolve follows a reference, and names what it leads to.
func (s *topicsSchema) resolve(f field) (def field, name string) {
	if f.Ref == "" {
		return f, ""
	}
	name = strings.TrimPrefix(f.Ref, "#/$defs/")
	return s.Defs[name], name
}
