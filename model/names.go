package model

import (
	"fmt"
	"strings"
)

// maxNames is how many names a sentence lists before it counts the rest.
const maxNames = 3

// Names is "a", "a and b", "a, b and c", or "a, b, c and 5 more".
func Names(names []string) string {
	n := len(names)
	switch {
	case n == 0:
		return "nothing"
	case n == 1:
		return names[0]
	case n > maxNames+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// MachineNames is "all machines", or classes as "fast-*" where all of several
// members are meant, and names.
func (js *JobSet) MachineNames(ids []SlaveID) string {
	if len(ids) == len(js.Slaves) && len(ids) > 1 {
		return "all machines"
	}
	size, meant := map[string]int{}, map[string]int{}
	for i := range js.Slaves {
		size[js.Slaves[i].Class]++
	}
	for _, id := range ids {
		meant[js.Slaves[id].Class]++
	}
	var names []string
	said := map[string]bool{}
	for _, id := range ids {
		s := &js.Slaves[id]
		switch {
		case meant[s.Class] < size[s.Class] || size[s.Class] == 1:
			names = append(names, s.Name)
		case !said[s.Class]:
			said[s.Class] = true
			names = append(names, s.Class+"-*")
		}
	}
	return Names(names)
}
