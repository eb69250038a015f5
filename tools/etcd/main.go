// Command etcd is the real etcd server. Its module is pinned here, because the
// command of etcd's own repository is in a module that cannot be required.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
