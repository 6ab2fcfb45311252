package external

import (
	"errors"
	"fmt"
	"strings"
)

// Prefix is what the name of a policy or of a workload begins with that is a command.
const Prefix = "exec:"

// Command splits a command into a program and its arguments: at blanks, but for those
// between single or double quotes. Nothing else has a meaning, as no shell is asked.
func Command(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	for _, c := range text {
		switch {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a %c in %q is not closed", quote, text)
	case len(words) == 0:
		return nil, errors.New("the command is empty")
	}
	return words, nil
}

// Label is what a policy, or a workload, is called in place of its text, LABEL=TEXT, and the text; it is empty
// where there is none. Labels begin with a letter and have letters, digits, dots, hyphens and lines below.
func Label(spec string) (label, text string) {
	at := strings.IndexByte(spec, '=')
	if at <= 0 {
		return "", spec
	}
	for i, c := range spec[:at] {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.' && c != '-' && c != '_') {
			return "", spec
		}
	}
	return spec[:at], spec[at+1:]
}
