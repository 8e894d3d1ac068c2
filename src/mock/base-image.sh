#!/usr/bin/env bash
# Makes a base image for the reference gateway's container from the Node that Weir runs on here and
# the libraries that `ldd` names, for machines that reach no registry. Prints the image's name:
#
#   export WEIR_NODE_IMAGE="$(bash base-image.sh)"
set -euo pipefail

# From the source as from what is built of it. A checkout brings its own Node, which the
# machine's may be too old to stand in for: then the program's own start says so, and nothing is made.
weir="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
PATH="$weir/node_modules/.bin:$PATH"
node "$weir/src/cli/weir.js" --version >/dev/null

node="$(node -p 'process.execPath')"
image="weir-base:$(node -p '`${process.versions.node}-${process.arch}`')"

root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT

# Where Node's own images have it, so that the Dockerfile need not know which base it got.
install -D "$node" "$root/usr/local/bin/node"
# Lines are `name => /path (address)`, and `/path (address)` for the loader itself.
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  cp -L --parents "$library" "$root"
done
mkdir -m 1777 "$root/tmp"

tar --create --owner=0 --group=0 --numeric-owner -C "$root" . | docker import - "$image" >&2
echo "$image"
