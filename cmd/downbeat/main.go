// Command downbeat tells whether jobs make their deadlines on a cluster.
package main

import (
	"os"

	"downbeat/cmd/internal/cli"
)

func main() {
	os.Exit(int(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)))
}
