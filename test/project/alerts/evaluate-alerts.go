// Checks the rules of a file as Prometheus does, and runs a script in the language of its own tests, in which ALERT(Name)
// stands for the expression of that alert. How long an alert must last ("for") is not part of it.
//
//	evaluate-alerts RULES SCRIPT
//
// Built inside the module of Prometheus.
package main

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

func main() {
	all := func(_, _ string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "alerts", F: evaluate}}, nil, nil)
}

func evaluate(t *testing.T) {
	groups, problems := rulefmt.ParseFile(flag.Arg(0), false, model.UTF8Validation, parser.NewParser(parser.Options{}), promslog.NewNopLogger())
	if len(problems) > 0 {
		t.Fatal(errors.Join(problems...))
	}
	expressions := map[string]string{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			expressions[rule.Alert] = rule.Expr
		}
	}
	script, err := os.ReadFile(flag.Arg(1))
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`ALERT\((\w+)\)`).ReplaceAllStringFunc(string(script), func(alert string) string {
		name := alert[len("ALERT(") : len(alert)-1]
		if expressions[name] == "" {
			t.Fatal("there is no alert " + name)
		}
		return "(" + strings.Join(strings.Fields(expressions[name]), " ") + ")"
	})
	promqltest.RunTest(t, text, promqltest.NewTestEngine(t, false, 5*time.Minute, 1_000_000))
}
