// Writes a JSON schema for each kind of object that the chart makes, from the Go types of Kubernetes: names and types of
// all fields, and which are required. They are strict, and know no allowed values and no ranges.
//
//	kubernetes-schemas FOLDER
//
// Built inside the module of helm, which has these types.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
)

type schema map[string]any

var kinds = []any{
	apps.StatefulSet{}, autoscaling.HorizontalPodAutoscaler{}, batch.Job{}, core.ConfigMap{}, core.Pod{}, core.Service{},
	core.ServiceAccount{}, networking.Ingress{}, networking.NetworkPolicy{}, policy.PodDisruptionBudget{},
}

// Types whose JSON is not that of their fields.
var special = map[string]schema{
	"resource.Quantity":  {"type": []string{"string", "number"}, "pattern": `^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$`},
	"intstr.IntOrString": {"type": []string{"string", "integer"}},
	"v1.Time":            {"type": []string{"string", "null"}},
	"v1.FieldsV1":        {"type": "object"},
}

func main() {
	for _, kind := range kinds {
		definitions := map[string]schema{}
		root := schemaOf(reflect.TypeOf(kind), definitions)
		root["definitions"] = definitions
		text, err := json.Marshal(root)
		if err == nil {
			name := strings.ToLower(reflect.TypeOf(kind).Name()) + ".json"
			err = os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644)
		}
		if err != nil {
			panic(err)
		}
	}
}

func schemaOf(t reflect.Type, definitions map[string]schema) schema {
	if known, ok := special[t.String()]; ok {
		return known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), definitions)
	case reflect.Struct:
		name := strings.NewReplacer("/", "_", ".", "_").Replace(t.PkgPath() + "_" + t.Name())
		if _, ok := definitions[name]; !ok {
			definitions[name] = schema{}
			properties, required := map[string]schema{}, []string{}
			addFields(t, properties, &required, definitions)
			definitions[name] = schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
		}
		return schema{"$ref": "#/definitions/" + name}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return schema{"type": "string"}
		}
		return schema{"type": "array", "items": schemaOf(t.Elem(), definitions)}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": schemaOf(t.Elem(), definitions)}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int32, reflect.Int64:
		return schema{"type": "integer"}
	}
	panic("no schema for " + t.String())
}

func addFields(t reflect.Type, properties map[string]schema, required *[]string, definitions map[string]schema) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			addFields(field.Type, properties, required, definitions)
			continue
		}
		properties[name] = schemaOf(field.Type, definitions)
		if !strings.Contains(options, "omit") {
			*required = append(*required, name)
		}
	}
}
