// SPDX-License-Identifier: Apache-2.0

package revision

// Repository is what is known about a Repository.
type Repository struct {
	// Ready reports whether Porch can use it, Message says why not. Reading reports whether it is not ready because Porch
	// is reading it, as newer Porch says on each read.
	Ready, Reading bool
	Message        string
	// Migrated reports whether another version of Porch's API serves its packages, which are then unknown here.
	Migrated bool
	// Deployment reports whether packages in it are deployed: Porch then adds a package context to each clone.
	Deployment bool
	// Address is that of its git repository, Directory where it has its packages there; "" for one without a git
	// repository.
	Address, Directory string
}
