package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"downbeat/model/check"
)

// Every topic has a text that fits a terminal; rules, fields and words that stop a
// newcomer are in it.
func TestTopics(t *testing.T) {
	texts := map[string]string{}
	for _, c := range topicCommands() {
		var out strings.Builder
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		texts[c.Name()] = out.String()
		if c.Runnable() {
			t.Errorf("%s is no topic but a command", c.Name())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%s: %d columns: %s", c.Name(), n, line)
			}
		}
	}
	has := func(topic string, words ...string) {
		for _, w := range words {
			if !strings.Contains("\n"+texts[topic], "\n"+w) {
				t.Errorf("%s says nothing of %q:\n%s", topic, w, texts[topic])
			}
		}
	}
	for _, r := range check.Rules() {
		has("rules", r.Name+" ")
	}
	has("exit-codes", "0 ", "1 ", "2 ", "3 ", "70 ")
	has("format", "version ", "cluster ", "  heartbeat ", "  slaves ", "    first_heartbeat  ", "jobs ", "  deadline ", "  map ", "    wcet ", "  stages ", "objective ")
	has("words", "beat", "core-minute", "dual prices", "fetch line", "held", "witness")
}
