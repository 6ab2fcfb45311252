//go:build !race

package testkit

const underRace = false
