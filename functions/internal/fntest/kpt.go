// SPDX-License-Identifier: Apache-2.0

package fntest

import (
	"bytes"
	"errors"
	"io"

	"github.com/package-variants/package-variants/functions/krm"
	"sigs.k8s.io/kustomize/kyaml/fn/runtime/runtimeutil"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// ThroughKpt runs the function on a file as kpt does, by the code that kpt is made of: it reads the file, hands it to
// the function, copies comments and the order of keys, and writes the file.
func ThroughKpt(f krm.Function, config, file string) (string, error) {
	text, _, err := PipelineThroughKpt(config, file, f)
	return text, err
}

// PipelineThroughKpt runs functions one after the other on a file, as ThroughKpt does, and returns the results of the
// last one, too.
func PipelineThroughKpt(config, file string, functions ...krm.Function) (text string, results *yaml.RNode, err error) {
	reader := &kio.ByteReader{
		Reader: bytes.NewBufferString(file), PreserveSeqIndent: true,
		SetAnnotations: map[string]string{kioutil.PathAnnotation: "file.yaml"},
	}
	nodes, err := reader.Read()
	if err != nil {
		return "", nil, err
	}
	fnConfig, err := yaml.Parse(config)
	if err != nil {
		return "", nil, err
	}
	for _, f := range functions {
		filter := runtimeutil.FunctionFilter{FunctionConfig: fnConfig, GlobalScope: true,
			Run: func(in io.Reader, out io.Writer) error {
				var stderr bytes.Buffer
				if code := krm.Run(f, in, out, &stderr); code != 0 {
					return errors.New(stderr.String())
				}
				return nil
			}}
		if nodes, err = filter.Filter(nodes); err != nil {
			return "", nil, err
		}
		results = filter.Results
	}
	var out bytes.Buffer
	err = kio.ByteWriter{Writer: &out, ClearAnnotations: []string{
		//nolint:staticcheck // kpt sets both
		kioutil.PathAnnotation, kioutil.LegacyPathAnnotation, kioutil.SeqIndentAnnotation,
		"internal.config.kubernetes.io/annotations-migration-resource-id",
	}}.Write(nodes)
	return out.String(), results, err
}
