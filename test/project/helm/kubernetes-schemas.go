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

var kinds = map[string][]any{
	apps.SchemeGroupVersion.String():        {apps.StatefulSet{}},
	autoscaling.SchemeGroupVersion.String(): {autoscaling.HorizontalPodAutoscaler{}},
	batch.SchemeGroupVersion.String():       {batch.Job{}},
	core.SchemeGroupVersion.String():        {core.ConfigMap{}, core.Pod{}, core.Service{}, core.ServiceAccount{}},
	networking.SchemeGroupVersion.String():  {networking.Ingress{}, networking.NetworkPolicy{}},
	policy.SchemeGroupVersion.String():      {policy.PodDisruptionBudget{}},
}

// Types whose JSON is not that of their fields.
var special = map[string]schema{
	"resource.Quantity":  {"type": []string{"string", "number"}, "pattern": `^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$`},
	"intstr.IntOrString": {"type": []string{"string", "integer"}},
	"v1.Time":            {"type": []string{"string", "null"}},
	"v1.FieldsV1":        {"type": "object"},
}

func main() {
	for version, objects := range kinds {
		for _, object := range objects {
			kind := reflect.TypeOf(object)
			definitions := map[string]schema{}
			same := schema{"required": []string{"apiVersion"}, "properties": schema{"apiVersion": schema{"enum": []string{version}}}}
			root := schema{"allOf": []schema{schemaOf(kind, definitions), same}, "definitions": definitions}
			text, err := json.Marshal(root)
			if err == nil {
				err = os.WriteFile(filepath.Join(os.Args[1], strings.ToLower(kind.Name())+".json"), text, 0o644)
			}
			if err != nil {
				panic(err)
			}
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
			definition := schema{"type": "object", "properties": properties, "additionalProperties": false}
			if len(required) > 0 {
				definition["required"] = required
			}
			definitions[name] = definition
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
