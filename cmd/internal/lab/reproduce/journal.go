package reproduce

import (
	"encoding/json"
	"fmt"
	"math"

	"downbeat/cmd/internal/journal"
)

// Call is what the results of a paper's reproduction depend on beside their keys.
func Call(paper string, o Options) journal.Call {
	return journal.Call{Command: "downbeat reproduce", Program: o.Program, Flags: []journal.Flag{
		{Name: "paper", Value: paper}, {Name: "sets", Value: fmt.Sprint(o.Seeds)}, {Name: "scale", Value: fmt.Sprint(o.Scale)},
	}}
}

// number is a float that may be none: NaN is null in JSON.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
