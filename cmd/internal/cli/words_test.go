package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/words"
	"downbeat/internal/testkit"
)

// gone are words that stopped newcomers, and have better ones.
var gone = regexp.MustCompile(`(?i)\bfor sale\b|\bby counting\b|\bmarkets?\b|\btolls?\b|\btariffs?\b|\bshop\b`)

// explain are words of the field that stay, each with its name in the glossary.
var explain = map[string]*regexp.Regexp{
	"held":            regexp.MustCompile(`\bheld +(local|fetching|\d)`),
	"fetching":        regexp.MustCompile(`\bfetching\b`),
	"beat, heartbeat": regexp.MustCompile(`\b(heart)?beats?\b`),
	"bound":           regexp.MustCompile(`\bbounds?\b`),
	"branching":       regexp.MustCompile(`\bbranching\b`),
	"clause learning": regexp.MustCompile(`\bclause learning\b|\blcg\b`),
	"core-minute":     regexp.MustCompile(`\w-(?:tick|second|minute|hour)s\b`),
	"critical path":   regexp.MustCompile(`\bcritical path\b`),
	"dual prices":     regexp.MustCompile(`\bdual prices\b`),
	"energy":          regexp.MustCompile(`\bby energy\b`),
	"fetch line":      regexp.MustCompile(`\bfetch lines?\b`),
	"gap":             regexp.MustCompile(`\bgaps?\b`),
	"gini":            regexp.MustCompile(`\bgini\b`),
	"laxity":          regexp.MustCompile(`\blaxity\b`),
	"makespan":        regexp.MustCompile(`\bmakespan\b`),
	"misses":          regexp.MustCompile(`\bmisses \d`),
	"penalty":         regexp.MustCompile(`\bpenalty\b`),
	"relaxation":      regexp.MustCompile(`\brelaxation\b`),
	"tardiness":       regexp.MustCompile(`\btardiness\b`),
	"[5, 65)":         regexp.MustCompile(`\[\d+, \d+\)`),
}

// unexplained are the words of a text that neither its last line nor a legend in it explains.
func unexplained(text string) []string {
	told := ""
	if _, after, ok := strings.Cut("\n"+text, "\nwords: "); ok {
		told = strings.Join(strings.Fields(after), " ")
	}
	var names []string
	for name, form := range explain {
		word, _, _ := strings.Cut(name, ",")
		legend := regexp.MustCompile(`(?m)(^|[;,] |A )` + regexp.QuoteMeta(word) + `(, \w+)*(:| is )`)
		if form.MatchString(text) && !strings.Contains(told, name) && !legend.MatchString(text) {
			names = append(names, name)
		}
	}
	return names
}

// forPrograms begin what is no report: the language of another program, or a document.
var forPrograms = regexp.MustCompile(`^[{<%#|\x60]|^gantt\b|^(job|set|workload|policy),|^(version|gantt|downbeat|note|\w+\.\w+:\d+):|^\s*$`)

// section heads a file in a script.
var section = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// reports are all that tests hold the program's reports against: transcripts of pages, golden
// files, and what scripts expect.
func reports(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, p := range pages(t) {
		for _, block := range p.blocks("console") {
			for _, one := range strings.Split("\n"+block, "\n$ ")[1:] {
				command, out, _ := strings.Cut(one, "\n")
				all[p.name+": "+command] = out
			}
		}
	}
	for _, pattern := range []string{"testdata/script/*.txtar", "../report/testdata/*.txt"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(path) == ".txt" {
				all[path] = string(src)
			}
			places := section.FindAllStringSubmatchIndex(string(src), -1)
			for i, at := range places {
				end := len(src)
				if i+1 < len(places) {
					end = places[i+1][0]
				}
				if name := string(src[at[2]:at[3]]); strings.HasPrefix(name, "want") {
					all[path+": "+name] = string(src[at[1]:end])
				}
			}
		}
	}
	return all
}

// Reports explain the words that a newcomer stumbles over, where they stand or by a line at
// the end that leads to the glossary, and do without the words that have better ones.
func TestWordsOfReports(t *testing.T) {
	testkit.OneGoroutine(t)
	read := 0
	for name, text := range reports(t) {
		if word := gone.FindString(text); word != "" {
			t.Errorf("%s says %q", name, word)
		}
		if forPrograms.MatchString(text) {
			continue
		}
		read++
		for _, word := range unexplained(text) {
			t.Errorf("%s does not explain %q", name, word)
		}
	}
	if read < 40 {
		t.Errorf("only %d reports found", read)
	}
}

// Help texts do likewise, and so do the pages for what has better words.
func TestWordsOfHelp(t *testing.T) {
	testkit.OneGoroutine(t)
	s, out, _ := fakeStreams("")
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		out.Reset()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		if word := gone.FindString(out.String()); word != "" {
			t.Errorf("%s says %q", cmd.CommandPath(), word)
		}
		if !cmd.IsAdditionalHelpTopicCommand() {
			for _, word := range unexplained(out.String()) {
				t.Errorf("the help of %s does not explain %q", cmd.CommandPath(), word)
			}
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRootCmd(s))
	for _, p := range pages(t) {
		if word := gone.FindString(p.text); word != "" {
			t.Errorf("%s says %q", p.name, word)
		}
	}
}

// docs/words.md is the glossary: its first table is that of reports, which -update writes, and
// the second one, of the solver, explains none of its words again.
func TestPagesWords(t *testing.T) {
	path := filepath.Join(root, "docs", "words.md")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head, below = "|---|---|\n", "\n## In the solver\n"
	above, _, _ := strings.Cut(string(src), head)
	_, solver, _ := strings.Cut(string(src), below)
	var want strings.Builder
	want.WriteString(above + head)
	told := map[string]bool{}
	for _, w := range words.All() {
		want.WriteString("| " + w.Name + " | " + w.Meaning + " |\n")
		for name := range strings.SplitSeq(w.Name, ", ") {
			told[name] = true
		}
	}
	want.WriteString(below + solver)
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(want.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	case string(src) != want.String():
		t.Errorf("%s is not the glossary; -update writes it", path)
	}
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \| [^|]*\|$`).FindAllStringSubmatch(solver, -1)
	if len(rows) < 30 {
		t.Errorf("only %d words of the solver found", len(rows))
	}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[1], ", ") {
			if told[name] {
				t.Errorf("%s explains %q twice", path, name)
			}
			told[name] = true
		}
	}
}
