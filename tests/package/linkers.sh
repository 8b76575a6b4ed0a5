#!/usr/bin/env bash
# A program that has a Boost.Asio of another make (other settings, so other layouts of the same names) and both archives, in either
# order, with each linker there is.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

$LAUNCHER $CXX -std=c++20 -Wall -Wextra -Werror $(pkg-config --cflags gazellemq-client gazellemq-hub) \
    -DBOOST_ASIO_DISABLE_EPOLL -DBOOST_ASIO_DISABLE_EVENTFD -c "$(dirname "$0")/consumer/own_asio.cpp" -o "$work/own_asio.o"

for linker in bfd gold lld; do
    command -v "ld.$linker" >/dev/null || continue
    for parts in "gazellemq-client gazellemq-hub" "gazellemq-hub gazellemq-client"; do
        echo "ld.$linker, $parts"
        $CXX "-fuse-ld=$linker" "$work/own_asio.o" $(pkg-config --libs $parts) -o "$work/program"
        "$work/program"
    done
done
