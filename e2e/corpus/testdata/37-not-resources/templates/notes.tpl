{{ .Values.x }}
	apiVersion: v1
