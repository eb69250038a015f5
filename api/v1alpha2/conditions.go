// SPDX-License-Identifier: Apache-2.0

package v1alpha2

// Reasons of the conditions Ready, Stalled and Reconciling of a PackageVariantSet. In brackets is the condition that is
// True with the reason. Reasons of a PackageVariant that are about a spec, an upstream, suspension and what functions
// and Porch need are those of a set, too.
const (
	// ReasonVariantsReady says that all variants of the set are ready (Ready).
	ReasonVariantsReady = "VariantsReady"
	// ReasonVariantsNotReady says that some variants are not ready (Reconciling).
	ReasonVariantsNotReady = "VariantsNotReady"
	// ReasonEmptySelection says that a target selects nothing, and variants that no target wants are kept nevertheless
	// (Stalled).
	ReasonEmptySelection = "EmptySelection"
	// ReasonTooManyDeletions says that the set would delete more variants than its maxDeletions allows (Stalled). Nothing
	// is changed.
	ReasonTooManyDeletions = "TooManyDeletions"
	// ReasonExpansionFailed says that the set cannot be expanded over the objects in the cluster (Stalled), or cannot be
	// for another error, after which the controller tries again (Reconciling). Nothing is changed.
	ReasonExpansionFailed = "ExpansionFailed"
	// ReasonKindNotFound says that the cluster does not know a kind that an object selector names (Stalled). Nothing is
	// changed.
	ReasonKindNotFound = "KindNotFound"
	// ReasonPermissionMissing says that the controller may not read the objects that an object selector chooses from, so
	// that nothing is changed, or may not write the set's variants (Stalled).
	ReasonPermissionMissing = "PermissionMissing"
	// ReasonNameTaken says that PackageVariants that are not the set's have names that its variants are to have (Stalled).
	ReasonNameTaken = "NameTaken"
	// ReasonApplyFailed says that the cluster refused changes of variants, or what a rollout reads and writes before them
	// (Reconciling).
	ReasonApplyFailed = "ApplyFailed"
	// ReasonVariantRefused says that the API server refuses variants of a set whose errorPolicy is Continue (Stalled).
	// They stay as they are, and all others are made.
	ReasonVariantRefused = "VariantRefused"
)
