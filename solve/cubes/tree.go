package cubes

import (
	"fmt"
	"slices"

	"downbeat/solve/lcg"
)

// Tree says how plans are split: a leaf is a cube, and has its name.
type Tree struct {
	Cube string
	// Literal is what an inner node is split by: Holds has the plans in which it holds, Fails the others.
	Literal      string
	Holds, Fails *Tree
}

// Cube is a leaf of a tree, and the literals on the way to it.
type Cube struct {
	Name     string
	Literals []string
}

// NewTree has the tree of cubes, each of which lists its literals from the root on. The error names a
// cube whose like, with the other value of a literal, is not there, or one that is there twice.
func NewTree(all []Cube) (*Tree, error) { return newTree(all, 0) }

func newTree(all []Cube, depth int) (*Tree, error) {
	first := all[0]
	if len(first.Literals) <= depth {
		if len(all) > 1 {
			return nil, fmt.Errorf("cube %s has all that is in cube %s", first.Name, all[1].Name)
		}
		return &Tree{Cube: first.Name}, nil
	}
	literal := first.Literals[depth]
	var holds, fails []Cube
	for _, c := range all {
		switch {
		case len(c.Literals) > depth && c.Literals[depth] == literal:
			holds = append(holds, c)
		case len(c.Literals) > depth && c.Literals[depth] == lcg.Opposite(literal):
			fails = append(fails, c)
		default:
			return nil, fmt.Errorf("cubes %s and %s are not split by one literal", first.Name, c.Name)
		}
	}
	if len(fails) == 0 {
		return nil, fmt.Errorf("cube %s is not the other side of any: %s is missing", first.Name, lcg.Opposite(literal))
	}
	t := &Tree{Literal: literal}
	var err error
	if t.Holds, err = newTree(holds, depth+1); err == nil {
		t.Fails, err = newTree(fails, depth+1)
	}
	return t, err
}

// Split has the leaf of a cube, if there is one, split by a literal into cubes NAME.1, in which it
// holds, and NAME.2.
func (t *Tree) Split(name, literal string) bool {
	if t.Literal != "" {
		return t.Holds.Split(name, literal) || t.Fails.Split(name, literal)
	}
	if t.Cube != name {
		return false
	}
	t.Literal, t.Holds, t.Fails = literal, &Tree{Cube: name + ".1"}, &Tree{Cube: name + ".2"}
	return true
}

// Open lists the cubes at leaves that are not closed: closed tells of one by its name. What is below
// a cube that is closed is closed, too.
func (t *Tree) Open(closed func(name string) bool) []Cube { return t.open(nil, closed) }

func (t *Tree) open(way []string, closed func(string) bool) []Cube {
	switch {
	case t.Cube != "" && closed(t.Cube):
		return nil
	case t.Literal == "":
		return []Cube{{t.Cube, slices.Clone(way)}}
	}
	way = slices.Clip(way)
	return append(t.Holds.open(append(way, t.Literal), closed), t.Fails.open(append(way, lcg.Opposite(t.Literal)), closed)...)
}
