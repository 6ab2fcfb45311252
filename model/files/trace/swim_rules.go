package trace

import "math"

// SwimRules make tasks of bytes. MB are 10^6 bytes.
type SwimRules struct {
	// Source is the number of machines that the trace comes from, Slaves that of the cluster
	// at hand: all bytes are scaled by Slaves/Source.
	Source, Slaves int
	// Block is the input of a map, PerReduce the shuffle and output of a reduce, in MB. A
	// job of more than MaxMaps maps is shrunk as a whole to that many.
	Block, PerReduce float64
	MaxMaps          int
	// Startup is the seconds that every task takes at least; MapRate and ReduceRate are the
	// MB a second of execution, Network those of the shuffle.
	Startup                      int64
	MapRate, ReduceRate, Network float64
}

// NewSwimRules scales Facebook's 600 machines of 2009 to 15 slaves, as SWIM's own replay does.
func NewSwimRules() SwimRules {
	return SwimRules{Source: 600, Slaves: 15, Block: 128, PerReduce: 256, MaxMaps: 200, Startup: 2, MapRate: 10, ReduceRate: 20, Network: 40}
}

// SwimShape is what the rules make of a line: numbers of tasks and MB of one.
type SwimShape struct {
	Maps, Reduces          int
	Input, Shuffle, Output float64
}

// SwimShape makes tasks of a line. Without shuffle there is no reduce, else
// (shuffle + output)/PerReduce rounded, at least 1; if that is more than there are slaves, a
// fifth of them (SWIM's replay rule).
func (r *SwimRules) Shape(j SwimJob) SwimShape {
	scale := float64(r.Slaves) / float64(r.Source) / 1e6
	input, shuffle, output := float64(j.Input)*scale, float64(j.Shuffle)*scale, float64(j.Output)*scale
	maps := max(1, math.Ceil(input/r.Block))
	if most := float64(r.MaxMaps); maps > most {
		shrink := most / maps
		input, shuffle, output, maps = input*shrink, shuffle*shrink, output*shrink, most
	}
	s := SwimShape{Maps: int(maps), Input: input / maps}
	if j.Shuffle == 0 {
		return s
	}
	reduces := max(1, math.Round((shuffle+output)/r.PerReduce))
	if reduces > float64(r.Slaves) {
		reduces = max(1, math.Floor(float64(r.Slaves)/5))
	}
	s.Reduces, s.Shuffle, s.Output = int(reduces), shuffle/reduces, output/reduces
	return s
}

// mostSeconds is the longest time that is kept: half of what a job set can have in seconds.
const mostSeconds = 500_000_000

// SwimSeconds rounds a time up.
func SwimSeconds(x float64) int64 { return int64(math.Ceil(min(x, mostSeconds))) }

// MapSeconds and ReduceSeconds are how long a task runs, at least a second.
func (r *SwimRules) MapSeconds(s SwimShape) int64 {
	return max(1, r.Startup+SwimSeconds(s.Input/r.MapRate))
}

// ReduceSeconds is how long a reduce runs once it has its input.
func (r *SwimRules) ReduceSeconds(s SwimShape) int64 {
	return max(1, r.Startup+SwimSeconds((s.Shuffle+s.Output)/r.ReduceRate))
}
