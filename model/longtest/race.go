//go:build race

package longtest

const underRace = true
