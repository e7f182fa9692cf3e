{{/* The name of everything: the release, unless it says "shortlink" already. */}}
{{- define "shortlink.name" -}}
{{- $name := ternary .Release.Name (printf "%s-shortlink" .Release.Name) (contains "shortlink" .Release.Name) -}}
{{- /* A pod adds its number, and its volume its own name. */ -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* All pods: those of the service, of the migration and of the test. */}}
{{- define "shortlink.allPods" -}}
app.kubernetes.io/name: shortlink
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "shortlink.selector" -}}
{{ include "shortlink.allPods" . }}
app.kubernetes.io/component: service
{{- end }}

{{- define "shortlink.labels" -}}
{{ include "shortlink.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "shortlink.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "shortlink.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "shortlink.name" .) }}
{{- end }}

{{/* "true" if there may be more than one pod. */}}
{{- define "shortlink.isSeveral" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}true{{ end -}}
{{- end }}

{{/* baseUrl is SHORTLINK_BASE_URL, as in src/config/options.ts. */}}
{{- define "shortlink.variable" -}}
SHORTLINK_{{ regexReplaceAll "([A-Z])" . "_${1}" | upper }}
{{- end }}

{{/* An option as the text of its variable. YAML reads on and off as true and false, and numbers as floats. */}}
{{- define "shortlink.text" -}}
{{- if kindIs "slice" . }}{{ join "," . -}}
{{- else if kindIs "bool" . }}{{ ternary "on" "off" . -}}
{{- else if kindIs "float64" . }}{{ int64 . -}}
{{- else }}{{ . }}{{ end -}}
{{- end }}

{{/* The hosts of the Ingress, separated by spaces. */}}
{{- define "shortlink.hosts" -}}
{{- $hosts := list (urlParse .Values.options.baseUrl).hostname -}}
{{- with .Values.options.domains }}{{ $hosts = concat $hosts (include "shortlink.text" . | splitList ",") }}{{ end -}}
{{- concat $hosts .Values.ingress.brandedHosts | uniq | join " " -}}
{{- end }}

{{/* What all pods have in common. */}}
{{- define "shortlink.pod" -}}
automountServiceAccountToken: false
# The variables of a Service with this name would begin with SHORTLINK_, as options do, and be refused.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  # The user of the image.
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  # Once: files of the service keep their mode afterwards.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers have in common. */}}
{{- define "shortlink.restricted" -}}
image: {{ include "shortlink.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The container of the service, and of the migration before it. */}}
{{- define "shortlink.container" -}}
{{ include "shortlink.restricted" . }}
resources: {{- toYaml .Values.resources | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- if .Values.secrets }}
  - name: secrets
    mountPath: /run/secrets/shortlink
    readOnly: true
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{- define "shortlink.volumes" -}}
- name: tmp
  emptyDir: {}
{{- if .Values.secrets }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $option, $secret := .Values.secrets }}
      - secret:
          name: {{ $secret.name }}
          items:
            - key: {{ $secret.key }}
              path: {{ $option }}
      {{- end }}
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Refuses values that would lose data, or that cannot work. */}}
{{- define "shortlink.check" -}}
{{- if not .Values.options.baseUrl }}{{ fail "Set options.baseUrl to the public address of the API, such as https://links.example.com." }}{{ end -}}
{{- if include "shortlink.isSeveral" . -}}
{{- $missing := list -}}
{{- range list "databaseUrl" "clickhouseUrl" "redisUrl" }}{{ if not (index $.Values.secrets .) }}{{ $missing = append $missing (printf "secrets.%s" .) }}{{ end }}{{ end -}}
{{- if $missing }}{{ fail (printf "More than one pod needs PostgreSQL, ClickHouse and Redis: set %s, or replicas to 1 and autoscaling.enabled to false." (join ", " $missing)) }}{{ end -}}
{{- if .Values.options.nsqdPort }}{{ fail "Each pod would have a stream of its own: with more than one, use nsqd daemons (options.nsqdHttpAddresses) instead of options.nsqdPort." }}{{ end -}}
{{- end -}}
{{- if lt (int .Values.terminationGracePeriodSeconds) (add 25 (int .Values.preStopSeconds) | int) }}{{ fail "terminationGracePeriodSeconds must be at least 25 more than preStopSeconds: the service finishes requests and delivers clicks for 20 seconds." }}{{ end -}}
{{- if and .Values.ingress.enabled (ne .Values.service.type "ClusterIP") }}{{ fail "ingress.enabled needs service.type ClusterIP: visitors who come past the Ingress could claim any IP address." }}{{ end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.secrets.opsToken) }}{{ fail "serviceMonitor.enabled needs secrets.opsToken: without the token nobody outside the pod may read /metrics." }}{{ end -}}
{{- end }}
