#!/usr/bin/env bash
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds forebay.jar again, from a copy of the sources in another directory, with another time zone and language, and compares
# it with the jar of `mvn clean verify`: both must have the same bytes. Takes 20 s. A jar contains the modes of files: to
# compare with the jar of a release, check out and build with umask 022, and with its JDK.
#
#   proof/reproducible.sh [JAR]    compares with this jar, such as the one of a release, instead of platform-app/target/forebay.jar
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "reproducible: $*" >&2
  exit 1
}

first=$(realpath "${1:-platform-app/target/forebay.jar}")
[ -f "$first" ] || fail "there is no $first; run mvn clean verify first"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/again"
git ls-files -co --exclude-standard -z -- . ':!docs' | tar --null -T - -cf - | tar -xf - -C "$copy/again"
(
  cd "$copy/again"
  # Not offline, which leaves out the bill of materials; what the first build loaded is not loaded again.
  TZ=Pacific/Auckland LC_ALL=C mvn -B -ntp -q -pl platform-app -am package -Dmaven.test.skip=true -Dspotless.check.skip=true
) || fail "the second build failed"
second=$copy/again/platform-app/target/forebay.jar
if ! cmp -s "$first" "$second"; then
  for jar in first second; do
    mkdir "$copy/$jar"
    (cd "$copy/$jar" && "${JAVA_HOME:+$JAVA_HOME/bin/}jar" -xf "${!jar}")
  done
  diff -rq "$copy/first" "$copy/second" | sed "s|$copy/||g" >&2 || true
  fail "the two builds differ; after an incremental build, run mvn clean verify first"
fi
echo "reproducible: two builds give the same forebay.jar: $(sha256sum <"$first" | cut -d' ' -f1)"
