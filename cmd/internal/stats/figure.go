package stats

import (
	"math"
	"strconv"
	"strings"
)

// Figure writes a number to two digits of its uncertainty, at least to units
// and at most to six decimals; to four digits where nothing is uncertain.
func Figure(x, uncertainty float64) string {
	decimals := 0
	switch {
	case uncertainty > 0:
		decimals = 1 - int(math.Floor(math.Log10(uncertainty)))
	case x != 0:
		decimals = 3 - int(math.Floor(math.Log10(math.Abs(x))))
	}
	text := strconv.FormatFloat(x, 'f', min(6, max(0, decimals)), 64)
	if uncertainty == 0 && strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// Signed is [Figure] with a plus before what is above zero.
func Signed(x, uncertainty float64) string {
	text := Figure(x, uncertainty)
	if x > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}
