// Prints what Compose makes of a file with the variables of the environment, as JSON, or fails as it does.
//
//	load-compose FILE
//
// Built inside the module of compose-go.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	text, err := load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(text))
}

func load(file string) ([]byte, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv)
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.MarshalJSON()
}
