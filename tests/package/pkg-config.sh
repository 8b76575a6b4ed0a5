#!/usr/bin/env bash
# A program built by hand with the flags of pkg-config. -I does not silence warnings in the headers.
set -euo pipefail
sources=$(dirname "$0")/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pkg-config --validate gazellemq-client gazellemq-hub
[ "$(pkg-config --modversion gazellemq-client)" = "$VERSION" ]
cflags=$(pkg-config --cflags gazellemq-client gazellemq-hub)
libs=$(pkg-config --libs gazellemq-client gazellemq-hub)

for file in main second; do
    $LAUNCHER $CXX -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror $cflags \
        -c "$sources/$file.cpp" -o "$work/$file.o"
done
$CXX "$work/main.o" "$work/second.o" $libs -o "$work/consumer"
"$work/consumer"
