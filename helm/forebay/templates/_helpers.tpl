{{/* Copyright The Forebay Authors. SPDX-License-Identifier: Apache-2.0 */}}

{{- define "forebay.selector" -}}
app.kubernetes.io/name: forebay
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "forebay.labels" -}}
{{ include "forebay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "forebay.probe" -}}
httpGet:
  path: /actuator/health/{{ .of }}
  port: http
  scheme: {{ if .tls }}HTTPS{{ else }}HTTP{{ end }}
timeoutSeconds: 5
{{- end }}

{{/* The same pod for both backends. */}}
{{- define "forebay.pod" -}}
metadata:
  labels:
    {{- include "forebay.labels" . | nindent 4 }}
  annotations:
    checksum/configuration: {{ include (print .Template.BasePath "/configuration.yaml") . | sha256sum }}
spec:
  automountServiceAccountToken: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  # preStop, the three phases of a stop, and 10 s of reserve.
  terminationGracePeriodSeconds: {{ add 5 (mul 3 .Values.shutdownPhaseSeconds) 10 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: forebay
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      ports:
        - {name: http, containerPort: 8080}
      env:
        - name: SPRING_CONFIG_ADDITIONALLOCATION
          value: file:/etc/forebay/
        - name: SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE
          value: {{ .Values.shutdownPhaseSeconds }}s
        {{- if eq .Values.backend "kafka" }}
        - name: SPRING_PROFILES_ACTIVE
          value: kafka
        - name: FOREBAY_KAFKA_PROPERTIES_BOOTSTRAP_SERVERS
          value: {{ .Values.kafka.bootstrapServers | quote }}
        {{- end }}
        {{- if .Values.catalogue }}
        - name: FOREBAY_DOOR_CATALOGUE
          value: file:/etc/forebay/catalogue.yaml
        {{- end }}
        {{- if .Values.tlsSecret }}
        - name: SERVER_SSL_BUNDLE
          value: door
        - name: SPRING_SSL_BUNDLE_PEM_DOOR_RELOADONUPDATE
          value: "true"
        - name: SPRING_SSL_BUNDLE_PEM_DOOR_KEYSTORE_CERTIFICATE
          value: file:/etc/forebay-tls/tls.crt
        - name: SPRING_SSL_BUNDLE_PEM_DOOR_KEYSTORE_PRIVATEKEY
          value: file:/etc/forebay-tls/tls.key
        {{- end }}
        {{- with .Values.javaOptions }}
        - name: JDK_JAVA_OPTIONS
          value: {{ . | quote }}
        {{- end }}
      # Recovery after a loss of power may take minutes.
      startupProbe:
        {{- include "forebay.probe" (dict "of" "liveness" "tls" .Values.tlsSecret) | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 300
      livenessProbe:
        {{- include "forebay.probe" (dict "of" "liveness" "tls" .Values.tlsSecret) | nindent 8 }}
        periodSeconds: 10
        failureThreshold: 6
      readinessProbe:
        {{- include "forebay.probe" (dict "of" "readiness" "tls" .Values.tlsSecret) | nindent 8 }}
        periodSeconds: 5
      # New requests go to other pods before this one stops.
      lifecycle:
        preStop:
          sleep: {seconds: 5}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /var/lib/forebay}
        - {name: tmp, mountPath: /tmp}
        - {name: configuration, mountPath: /etc/forebay, readOnly: true}
        {{- if .Values.secrets }}
        - {name: secrets, mountPath: /run/secrets, readOnly: true}
        {{- end }}
        {{- if .Values.tlsSecret }}
        - {name: tls, mountPath: /etc/forebay-tls, readOnly: true}
        {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .Values.backend "kafka" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "forebay.selector" . | nindent 10 }}
  {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.backend "kafka" }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: configuration
      configMap: {name: {{ .Release.Name }}}
    {{- with .Values.secrets }}
    - name: secrets
      projected:
        sources:
          {{- range . }}
          - secret: {name: {{ . }}}
          {{- end }}
    {{- end }}
    {{- with .Values.tlsSecret }}
    - name: tls
      secret: {secretName: {{ . }}}
    {{- end }}
{{- end }}
