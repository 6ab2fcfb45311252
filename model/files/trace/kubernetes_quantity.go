package trace

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// quantity is an amount as Kubernetes writes it: 2, 0.5, 250m, 1Gi, 1e3, 500M
// (k8s.io/apimachinery/pkg/api/resource.Quantity).
type quantity string

// UnmarshalJSON takes numbers and texts, and never fails.
func (q *quantity) UnmarshalJSON(src []byte) error {
	text := string(src)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	*q = quantity(text)
	return nil
}

var quantityForm = regexp.MustCompile(`^\+?([0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?$`)

// quantityUnits are the powers of ten and of two that suffixes stand for.
var quantityUnits = map[string]struct{ base, power int64 }{
	"": {10, 0}, "n": {10, -9}, "u": {10, -6}, "m": {10, -3}, "k": {10, 3}, "M": {10, 6}, "G": {10, 9}, "T": {10, 12}, "P": {10, 15}, "E": {10, 18},
	"Ki": {2, 10}, "Mi": {2, 20}, "Gi": {2, 30}, "Ti": {2, 40}, "Pi": {2, 50}, "Ei": {2, 60},
}

// value is the amount, exactly; nil where the text is none, and where it is below 0.
func (q quantity) value() *big.Rat {
	m := quantityForm.FindStringSubmatch(string(q))
	if m == nil {
		return nil
	}
	unit, known := quantityUnits[m[2]]
	if !known { // an exponent
		unit.base = 10
		unit.power, _ = strconv.ParseInt(strings.TrimPrefix(m[2][1:], "+"), 10, 8) // two digits, by the form
	}
	number, _ := new(big.Rat).SetString(m[1]) // digits, by the form
	factor := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(unit.base), big.NewInt(max(unit.power, -unit.power)), nil))
	if unit.power < 0 {
		return number.Quo(number, factor)
	}
	return number.Mul(number, factor)
}

// times is so many of an amount, rounded up, Most if there are more.
func times(of *big.Rat, n int64) int64 {
	r := new(big.Rat).Mul(of, new(big.Rat).SetInt64(n))
	whole := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	if whole.Quo(whole, r.Denom()); whole.IsInt64() {
		return min(whole.Int64(), Most)
	}
	return Most
}
