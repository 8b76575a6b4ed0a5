#!/usr/bin/env bash
# Macros that are defined after including all public headers, but not after including what they include.
set -euo pipefail
include=$PREFIX/include/gazellemq
ours=$(cd "$include" && find . -name '*.hpp' -printf '#include <%P>\n')
theirs=$(grep -rhoE '^ *# *include <[^>]+>' "$include" | grep -v gazellemq)
macros() { $CXX -std=c++20 -x c++ -dM -E -I "$include" - | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort -u; }

added=$(comm -13 <(macros <<<"$theirs") <(macros <<<"$ours") | grep -v '^GAZELLEMQ' || true)
if [ -n "$added" ]; then
    printf 'the public headers define these macros:\n%s\n' "$added"
    exit 1
fi
