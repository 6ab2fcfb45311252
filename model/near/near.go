// Package near guesses which of the words that are known a mistyped one meant.
package near

import (
	"fmt"
	"strings"
)

// maxWord is the length beyond which a word is not compared: time and memory
// grow with the product of the lengths.
const maxWord = 1000

// Word is the known word that takes the fewest edits to reach, the first of
// equals, if that is at most a third of the word's length or one; else the only
// known word that this one begins; else empty. Case does not count.
func Word(word string, known []string) string {
	lower := strings.ToLower(word)
	best, limit := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := edits(lower, strings.ToLower(k), limit); d < limit && d < max(len(word), len(k)) {
			best, limit = k, d
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), lower) {
			if best != "" {
				return ""
			}
			best = k
		}
	}
	return best
}

// Clause is ", did you mean …?", empty if Word knows nothing.
func Clause(word string, known []string) string {
	if near := Word(word, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// most is how many known words a hint lists in full, and few how many of more than that.
const most, few = 16, 5

// Hint is Clause, or where that is empty "; there are: …" with the words that are known, of
// many the first.
func Hint(word string, known []string) string {
	if clause := Clause(word, known); clause != "" {
		return clause
	}
	if len(known) > most {
		return fmt.Sprintf("; there are: %s and %d more", strings.Join(known[:few], ", "), len(known)-few)
	}
	return "; there are: " + strings.Join(known, ", ")
}

// edits counts the insertions, deletions, replacements and swaps of neighbours
// that turn a into b (optimal string alignment); any number ≥ limit stands for
// too many.
func edits(a, b string, limit int) int {
	ra, rb := []rune(a), []rune(b)
	if len(ra)-len(rb) >= limit || len(rb)-len(ra) >= limit || len(ra) > maxWord {
		return limit
	}
	var before []int
	last := make([]int, len(rb)+1)
	for j := range last {
		last[j] = j
	}
	for i := range ra {
		row := make([]int, len(rb)+1)
		row[0] = i + 1
		for j := range rb {
			cost := 1
			if ra[i] == rb[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && ra[i] == rb[j-1] && ra[i-1] == rb[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(rb)]
}
