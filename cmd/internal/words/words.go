// Package words has the glossary of reports and help texts. It is the one source of
// downbeat help words, of docs/words.md, and of the line below a report that names the words
// in it that may be new.
package words

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// All are the words, in the order of the alphabet.
func All() []Word { return list[:] }

// Names are those of all words, each by itself where several have one meaning, or a meaning tells of another one.
func Names() (names []string) {
	for i := range list {
		names = append(names, list[i].names()...)
	}
	return names
}

// Named is the word of a name, nil if there is none.
func Named(name string) *Word {
	i := slices.IndexFunc(list[:], func(w Word) bool { return slices.Contains(w.names(), name) })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// alsoTold are words that the meaning of another one tells of.
var alsoTold = regexp.MustCompile(`; ([a-z]+(?:-[a-z]+)+): `)

// names are those of a word, and of others that its meaning tells of.
func (w *Word) names() []string {
	if strings.HasPrefix(w.Name, "[") {
		return []string{w.Name} // a stretch of time
	}
	names := strings.Split(w.Name, ", ")
	for _, m := range alsoTold.FindAllStringSubmatch(w.Meaning, -1) {
		names = append(names, m[1])
	}
	return names
}

// Help is the command that tells what words mean.
const Help = "downbeat help words"

// Line names the words of a text that may be new and are not explained in it, with the
// command that explains them, in lines of at most so many columns where they can be broken;
// empty if there are none.
// Names of jobs that are such words are taken for them.
func Line(text string, width int) string {
	found := In(text)
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	line := "words:"
	for i, w := range append(found, "("+Help+")") {
		if i < len(found)-1 {
			w += ","
		}
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + w
	}
	b.WriteString(line + "\n")
	return b.String()
}

// scanned is how much of a text is looked at: answers and arguments come first, and tables
// that are longer repeat the same words.
const scanned = 1 << 16

// In are the names of the words that a text uses and does not explain, in the order of the
// alphabet.
func In(text string) []string {
	seen := map[string]bool{}
	used := map[int]bool{}
	for _, form := range forms().FindAllString(text[:min(len(text), scanned)], -1) {
		if !seen[form] {
			seen[form] = true
			used[slices.IndexFunc(list[:], func(w Word) bool { return w.is(form) })] = true
		}
	}
	var names []string
	for i := range list {
		if used[i] {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// forms matches all forms of words.
var forms = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, w := range list {
		if w.told != "" {
			all = append(all, w.form())
		}
	}
	return regexp.MustCompile(strings.Join(all, "|"))
})

// form is the regular expression where it stands by itself.
func (w *Word) form() string {
	if strings.HasPrefix(w.told, `\[`) {
		return `(?:` + w.told + `)`
	}
	return `\b(?:` + w.told + `)\b`
}

// is tells whether the word has this form.
func (w *Word) is(form string) bool {
	return w.told != "" && regexp.MustCompile(`^`+w.form()+`$`).MatchString(form)
}
