#!/usr/bin/env bash
# What a program's linker sees of the archives: definitions only of the public API, and nothing of ours or of Boost left open.
set -euo pipefail
bad=0

check() { # check ARCHIVE PATTERN-OF-ALLOWED-NAMES
    local defined surplus open
    defined=$($NM -g --defined-only -C "$LIBRARIES/$1" | sed -nE 's/^[0-9a-f]+ . //p')
    surplus=$(grep -vE "^($2)" <<<"$defined" || true)
    open=$($NM -u -C "$LIBRARIES/$1" | grep -E 'boost::|gazellemq::' || true)
    [ -n "$defined" ] || { echo "$1 shows nothing at all"; bad=1; }
    [ -z "$surplus" ] || { printf '%s shows what is not public:\n%s\n' "$1" "$surplus"; bad=1; }
    [ -z "$open" ] || { printf '%s needs what it does not have:\n%s\n' "$1" "$open"; bad=1; }
}

client='gazellemq::client::'
members='(AdminClient|Message|PublisherClient|SubscriberClient)::(~?[A-Za-z]+)(\[abi:cxx11\])?\('
functions='get(Publisher|Subscriber)Client\(|nameOf\('
check libgazellemq_client.a "$client$members|$client($functions)|gazellemq::(describe|nameOf|errorCategory)\("
check libgazellemq_hub.a 'gazellemq::hub::Server::~?[A-Za-z]+(\[abi:cxx11\])?\('
exit $bad
