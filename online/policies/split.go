package policies

import "strings"

// Split takes a list with commas between policies apart; the commas
// within a policy's parameters ("penn:delta=1,k=2") part none.
func Split(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		n := len(out)
		isParameter := strings.Contains(part, "=") && !strings.Contains(part, ":")
		if n > 0 && isParameter && strings.Contains(out[n-1], ":") {
			out[n-1] += "," + part
			continue
		}
		out = append(out, part)
	}
	return out
}
