#!/bin/sh
# Fetches what some tests need besides Python: a browser, and Java for Spark. Whatever cannot be
# had is said once; the tests that need it are then skipped and say so too.
set -u
bin=$1

have() { command -v "$1" >/dev/null 2>&1; }
said() { echo "$1" >&2; }

packages() { # from the system, where that is allowed
    have apt-get && [ "$(id -u)" = 0 ] || return 1
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 ||
        { apt-get update -qq >/dev/null 2>&1 &&
            apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1; }
}

browser() {
    [ -n "${COVARY_CHROMIUM:-}" ] && return 0
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        have "$name" && return 0
    done
    packages chromium-headless-shell fonts-liberation && return 0
    packages chromium fonts-liberation && return 0
    timeout 120 "$bin/playwright" install chromium-headless-shell >/dev/null 2>&1
}

java_for_spark() {
    [ -n "${JAVA_HOME:-}" ] || have java || packages default-jre-headless
}

browser || said "no browser could be fetched; its tests are skipped"
java_for_spark || said "no Java could be fetched; Spark's tests are skipped"
exit 0
