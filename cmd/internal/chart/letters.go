package chart

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// fonts are Liberation's, all of which have the same letters.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// Face is a font at a size.
func Face(f font.Font, size font.Length) font.Face { return fonts().Lookup(f, size) }

// has tells whether the font has a letter.
func has(r rune) bool {
	var b sfnt.Buffer
	i, err := Face(font.Font{Typeface: "Liberation", Variant: "Sans"}, 12).Face.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// lacking is what stands for a letter that the font lacks.
const lacking = '□'

// Legible is a text as bitmaps and PDFs, which bring their font and draw letter by letter, show
// it: from left to right as it is read, accents upon their letters, and boxes for letters that
// the font lacks.
func Legible(text string) string {
	if !slices.ContainsFunc([]rune(text), func(r rune) bool { return r > unicode.MaxLatin1 }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case has(r):
			return r
		case unicode.Is(unicode.Mn, r):
			return -1 // what it stands upon remains
		default:
			return lacking
		}
	}, visual(norm.NFC.String(text)))
}

// visual has the runs of a text from right to left turned around, in lines from left to right.
func visual(text string) string {
	var p bidi.Paragraph
	const leftToRight = "\u200e"
	if _, err := p.SetString(leftToRight + text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil {
		return text
	}
	out, turned := "", "" // what is done, and what stands at its right and grows to the left
	for i := range order.NumRuns() {
		run := order.Run(i)
		text := run.String()
		if run.Direction() == bidi.RightToLeft {
			turned = bidi.ReverseString(text) + turned
			continue
		}
		rest := text
		if turned != "" { // a number goes on in the direction of what stands before it
			rest = strings.TrimLeftFunc(text, unicode.IsDigit)
			turned = strings.TrimSuffix(text, rest) + turned
		}
		if rest != "" {
			out, turned = out+turned+rest, ""
		}
	}
	return strings.TrimPrefix(out+turned, leftToRight)
}

// Lacking says which letters of names a format cannot show, "" where it can show all. Browsers,
// which show SVG, bring fonts of their own.
func Lacking(format string, names ...string) string {
	if format != "png" && format != "pdf" {
		return ""
	}
	missing := lacks(names)
	if len(missing) == 0 {
		return ""
	}
	letters := fmt.Sprintf("%d letters", len(missing))
	if len(missing) == 1 {
		letters = "1 letter"
	}
	return fmt.Sprintf("the font of %s pictures lacks %s of names (%s)", strings.ToUpper(format), letters, string(missing[:min(len(missing), 10)]))
}

// lacks lists the letters of texts that the font lacks, in the order in which they come.
func lacks(texts []string) []rune {
	var missing []rune
	for _, text := range texts {
		for _, r := range norm.NFC.String(text) {
			if r != unicode.ReplacementChar && !has(r) && !slices.Contains(missing, r) {
				missing = append(missing, r)
			}
		}
	}
	return missing
}
