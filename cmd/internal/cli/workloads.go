package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"downbeat/online/workload"
)

// workloadTopics lists the named workloads.
func workloadTopics() string {
	var b strings.Builder
	for _, info := range workload.List() {
		entry(&b, 0, 14, info.Name, info.Help)
	}
	return b.String()
}

// workloadTopic tells of one, "NAME" or "NAME:param=value,...": its parameters with their values,
// units and ranges, and what its source leaves open. An error is the text's fault.
func workloadTopic(text string) (string, error) {
	e, err := workload.Explain(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	entry(&b, 0, 0, e.Name+":", e.Help)
	b.WriteString("\nParameters, with their values; what they mean, and what they take:\n")
	name, value := 0, 1
	for _, p := range e.Parameters {
		name, value = max(name, len(p.Name)), max(value, utf8.RuneCountInString(p.Value))
	}
	value = min(value, 20)
	for _, p := range e.Parameters {
		if p.Value == "" {
			p.Value = "-"
		}
		if p.Takes != "" {
			p.Help += " (" + p.Takes + ")"
		}
		entry(&b, 0, name+value+4, fmt.Sprintf("%-*s  %s", name, p.Name, p.Value), p.Help)
	}
	if len(e.Assumptions) > 0 {
		b.WriteString("\nWhat the source leaves open, and what stands in for it:\n")
	}
	for _, a := range e.Assumptions {
		entry(&b, 0, 2, "-", a)
	}
	return b.String(), nil
}
