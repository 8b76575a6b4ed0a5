#!/usr/bin/env bash
# Every public header compiles alone, with both compilers, and needs nothing but the standard library and Boost.System.
set -euo pipefail
include=$PREFIX/include/gazellemq
flags="-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
bad=0

mkdir -p headers
for compiler in "$CXX" $(command -v clang++-14 || command -v clang++ || true); do
    while read -r header; do
        source=headers/${header//\//_}.cpp
        echo "#include <$header>" >"$source"
        $LAUNCHER $compiler $flags -I "$include" -c "$source" -o "$source.o" || { echo "$compiler: $header"; bad=1; }
    done < <(cd "$include" && find . -name '*.hpp' -printf '%P\n')
done

# Without the include directory of the targets, as after an installation into /usr.
printf '#include <gazellemq/%s>\n' PublisherClient.hpp SubscriberClient.hpp |
    $CXX $flags -x c++ -fsyntax-only -I "$PREFIX/include" - || bad=1

all=$(cd "$include" && find . -name '*.hpp' -printf '#include <%P>\n')
foreign=$($CXX -std=c++20 -x c++ -M -I "$include" - <<<"$all" |
    grep -oE '[^ ]*/(boost/(asio|beast)|spdlog|fmt|nlohmann|CLI|isa-l|openssl)[./][^ ]*' || true)
if [ -n "$foreign" ]; then
    printf 'the public headers may not include these:\n%s\n' "$(head -n 5 <<<"$foreign")"
    bad=1
fi
exit $bad
