// SPDX-License-Identifier: Apache-2.0

// Package stack runs a real Kubernetes API and a real Porch for tests: etcd, kube-apiserver, Porch's API server and
// function-runner, and the git server of Porch's tests, as processes on free ports of this machine, with all they write
// in one directory. There is no kubelet and there are no controllers: no pod runs, a deleted namespace stays, and
// nothing is collected for having lost its owner.
//
// With Options.ControllerManager, kube-controller-manager runs too, with three controllers: what has lost its owner is
// deleted, ClusterRoles with an aggregationRule get their rules, and a deleted namespace goes. A CRD that a test
// applies is noticed within half a minute by what deletes. All other controllers are not there: a Deployment makes no
// pods, a namespace has no service account that nobody created.
//
// Porch keeps packages in its CR cache, or, with PORCH_CACHE=DB in the environment, in its DB cache: PostgreSQL runs
// then, too. With PORCH=DIR, the Porch in that directory runs in place of the pinned one, as it is deployed: its
// porch-controllers is one more process, and the functions are FunctionConfig objects. Options say the same for one
// stack.
//
// The binaries are those that make stack-tools builds. Stop ends all processes; an interrupt of the calling process
// does so too, and on Linux they end even when the calling process is killed.
package stack
