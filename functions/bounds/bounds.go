// SPDX-License-Identifier: Apache-2.0

// Package bounds has the bounds for every size that users choose: of resources, packages and sets. The functions, the
// controller and the command lines check them before larger input takes memory or time, and docs/limits.md lists them.
// No known resource, package or set comes near them.
package bounds

// The bounds of a resource, and of the text that holds it.
const (
	// Depth bounds the nesting of maps and lists.
	Depth = 250
	// Aliased bounds how many values the aliases of a resource stand for.
	Aliased = 100_000
	// Key bounds the length of a key in bytes; YAML has the same bound for a key without a question mark.
	Key = 1024
	// Path bounds the length of a file's path in bytes, as file systems do.
	Path = 4096
	// MergedEntries bounds each list and each map that is merged by what is in it. No cluster takes longer ones.
	MergedEntries = 50_000
)

// The bounds of a config.
const (
	// ConfigDepth bounds the nesting of a config.
	ConfigDepth = 100
	// ConfigEntries bounds each list and each map of a config, except objects of a cluster.
	ConfigEntries = 10_000
)

// The bounds of a package. The largest one of the public catalogs has 1.1 MB, 56 resources and some 37,000 values; the
// one with the most files has 40.
const (
	// PackageBytes bounds all files of a package: Porch accepts as much in a save.
	PackageBytes = 6 << 20
	// PackageFiles bounds how many files a package has.
	PackageFiles = 2_000
	// PackageResources bounds how many documents its YAML files have.
	PackageResources = 2_000
	// PackageValues bounds the values in its YAML files, as they can be counted without parsing them: by line feeds,
	// commas, colons, dashes of lists and opening brackets.
	PackageValues = 300_000
	// AnswerBytes bounds what is read of Porch's answer with the files of a package, which are quoted there. A byte may
	// become six, so a package of such bytes is refused before it has PackageBytes.
	AnswerBytes = 8 << 20
	// KptfileBytes bounds each Kptfile: a function in a pipeline takes some hundred times its size in memory.
	KptfileBytes = 512 << 10
	// PackageDirectories bounds the directories of a package in git, where the same tree may stand in many places.
	PackageDirectories = 2_000
)

// The bounds of a git repository, as variants reads it.
const (
	// GitBytes bounds a commit, a tag and a tree: a directory with some 200,000 entries.
	GitBytes = 8 << 20
	// BranchFiles bounds how many files and directories a branch has.
	BranchFiles = 2_000_000
	// StateBytes bounds each file of what a sync remembers: that of 10,000 packages has some megabytes.
	StateBytes = 128 << 20
)

// The bounds of the manifests of a fleet, as variants reads them. Ten thousand variants with their Repositories have
// some 15 MB.
const (
	// FleetBytes bounds the YAML files of a fleet in all. The bound of one of them is ObjectBytes.
	FleetBytes = 64 << 20
	// FleetValues bounds the values in these files, counted as those of a package are.
	FleetValues = 3_000_000
	// FleetObjects bounds how many objects a fleet has: each small one takes some 3 KB of memory.
	FleetObjects = 100_000
	// FleetFiles bounds how many files and directories there are in the directory of a fleet, packages apart.
	FleetFiles = 500_000
)

// The bounds of an object in the files that the command lines read.
const (
	// ObjectBytes bounds the text of an object: the files of a package are quoted in one.
	ObjectBytes = 2 * PackageBytes
	// ObjectValues bounds the values of an object, with those of the files that are quoted in it, counted as those of a
	// package are.
	ObjectValues = PackageValues
)

// The bounds of a set.
const (
	// SetTargets bounds how many variants the targets of a set select, for all its upstreams.
	SetTargets = 10_000
	// SetValues bounds the values that templates give to all variants of a set: pairs of maps, entries of lists with what
	// is in them, and other fields. Each takes about a KiB, however short it is.
	SetValues = 200_000
	// SetBytes bounds the text of what templates give to all variants of a set.
	SetBytes = 16 << 20
	// SetCost bounds the evaluation of all expressions of a set for all its targets, in CEL's cost units: about two
	// seconds.
	SetCost = 50_000_000
	// SetExpressions bounds how many different expressions the templates of a set have.
	SetExpressions = 2_000
	// SetExpressionBytes bounds the text of all different expressions of a set.
	SetExpressionBytes = 256 << 10
	// ExpressionBytes bounds the text of one expression.
	ExpressionBytes = 10_000
	// ExpressionCost bounds the evaluation of one expression, in CEL's cost units. It takes a few milliseconds to reach;
	// an expression over a few labels costs less than a hundredth.
	ExpressionCost = 100_000
	// ResultBytes bounds the result of an expression: a certificate fits, a file does not.
	ResultBytes = 16 << 10
	// CallElements bounds the lists that CEL's functions take and make. What they make is paid for only afterwards.
	CallElements = 1_000
	// CallBytes bounds the texts that CEL's functions take and make: all annotations of an object fit.
	CallBytes = 256 << 10
	// SetPatternSize bounds the regular expressions of a set in all, in steps of the programs that they are compiled to:
	// each takes some 70 bytes.
	SetPatternSize = 200_000
	// PatternSize bounds a regular expression that is not constant, in bytes and in steps of its program: it is compiled
	// each time that it is matched.
	PatternSize = 2_000
)
