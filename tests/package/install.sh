#!/usr/bin/env bash
# Installs the build directory $1 and moves the result to $PREFIX, where all other tests of this folder use it.
set -euo pipefail
stage=$PREFIX.before-move
rm -rf "$PREFIX" "$stage"
cmake --install "$1" --prefix "$stage" >/dev/null
mv "$stage" "$PREFIX"
"$PREFIX/bin/gazelle-hub" --version
if grep -rlF "$stage" "$PREFIX"; then
    echo "these files name the directory they were installed to"
    exit 1
fi
