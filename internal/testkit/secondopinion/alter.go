package secondopinion

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	digits   = regexp.MustCompile(`\d+`)
	ruleName = regexp.MustCompile(`^c \d+ ([a-z-]+)`)
	// Rules are all that a step can name.
	Rules = []string{"task", "stage", "job", "cap", "push", "energy", "disjunctive", "pool", "pool-push", "pool-energy", "apart", "misses", "hard-misses", "weighted", "order", "first", "used", "cut", "prices", "sequence", "assignment", "idle", "weights", "charges"}
)

// Altered alters proofs of tiny sets at random, each in 50 ways. Most are refused then; what
// those claim that are not is true by exhaustive search. Of every fifth of these the second
// checker, which lies at script, says the same.
func Altered(t *testing.T, script string, base []Sample) {
	t.Helper()
	refused, harmless := 0, 0
	var twice []Sample
	for n := range base {
		rng := rand.New(rand.NewPCG(uint64(n), 9))
		for k := range 50 {
			altered := Sample{base[n].JS, Alter(base[n].Text, rng)}
			if strings.HasPrefix(altered.First(t), "proved") {
				harmless++
				altered.Holds(t)
			} else {
				refused++
			}
			if k%5 == 0 {
				twice = append(twice, altered)
			}
		}
	}
	Agree(t, script, twice)
	t.Logf("%d altered proofs refused, %d as valid as before", refused, harmless)
	if refused < harmless || harmless == 0 {
		t.Errorf("%d altered proofs refused, %d accepted", refused, harmless)
	}
}

// Alter changes one thing in a proof, behind its head: a number, a rule, a word, or a line is
// another, is gone, or in another place. It may come to the same.
func Alter(text string, rng *rand.Rand) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	const head = 4
	if len(lines) <= head+1 {
		return text
	}
	at := head + rng.IntN(len(lines)-1-head)
	line := lines[at]
	switch rng.IntN(9) {
	case 0:
		lines = slices.Delete(lines, at, at+1)
	case 1:
		other := head + rng.IntN(len(lines)-1-head)
		lines[at], lines[other] = lines[other], line
	case 2:
		if m := ruleName.FindStringSubmatchIndex(line); m != nil {
			lines[at] = line[:m[2]] + Rules[rng.IntN(len(Rules))] + line[m[3]:]
		}
	case 3:
		if words := strings.Split(line, " "); len(words) > 1 {
			k := 1 + rng.IntN(len(words)-1)
			lines[at] = strings.Join(slices.Delete(words, k, k+1), " ")
		}
	case 4:
		words := strings.Split(lines[head+rng.IntN(len(lines)-1-head)], " ")
		lines[at] = line + " " + words[len(words)-1]
	case 5:
		lines[at] = turned(line, rng)
	default:
		if found := digits.FindAllStringIndex(line, -1); found != nil {
			m := found[rng.IntN(len(found))]
			n, _ := strconv.Atoi(line[m[0]:m[1]])
			n = max(0, []int{n - 1, n + 1, n + 2, rng.IntN(12)}[rng.IntN(4)])
			lines[at] = line[:m[0]] + strconv.Itoa(n) + line[m[1]:]
		}
	}
	return Numbered(strings.Join(lines, "\n") + "\n")
}

// turned has one literal of a line say the contrary.
func turned(line string, rng *rand.Rand) string {
	words := strings.Split(line, " ")
	k := rng.IntN(len(words))
	switch word := words[k]; {
	case strings.HasPrefix(word, "-x"), strings.HasPrefix(word, "-b"):
		words[k] = word[1:]
	case strings.HasPrefix(word, "x"), strings.HasPrefix(word, "b"):
		words[k] = "-" + word
	case strings.Contains(word, "<="):
		words[k] = strings.Replace(word, "<=", ">", 1)
	case strings.Contains(word, ">"):
		words[k] = strings.Replace(word, ">", "<=", 1)
	}
	return strings.Join(words, " ")
}

var endLine = regexp.MustCompile(`(?m)^end \d+\n\z`)

// Numbered is a proof with its number of lines at the end, if it has an end.
func Numbered(text string) string {
	return endLine.ReplaceAllString(text, fmt.Sprintf("end %d\n", strings.Count(text, "\n")-1))
}
