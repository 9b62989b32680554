#!/usr/bin/env bash
# Recreates admin-ui's vendor folder: downloads each package of the list below in its exact version, copies minified files of it
# unchanged, and writes vendor.lock (name version file sha512) and LICENSES. uPlot publishes no minified module: its minified
# script gets one line that exports it. For maintainers, after changing a version here;
# the build needs neither this script nor npm. VendorLockTest compares the files with vendor.lock.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

vendor=admin-ui/src/main/resources/io/forebay/admin/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name version file-in-the-package file-in-vendor
list='
preact 11.2.0 dist/preact.mjs preact.mjs
preact 11.2.0 hooks/dist/hooks.mjs preact-hooks.mjs
@preact/signals-core 1.14.5 dist/signals-core.mjs signals-core.mjs
@preact/signals 2.11.4 dist/signals.mjs signals.mjs
htm 3.1.1 dist/htm.mjs htm.mjs
uplot 1.6.32 dist/uPlot.iife.min.js uPlot.min.js
uplot 1.6.32 dist/uPlot.min.css uPlot.min.css
'

rm -rf "$vendor"
mkdir -p "$vendor"
: >"$work/lock"
: >"$work/licences"
while read -r name version from to; do
  [ -n "$name" ] || continue
  package="$work/$name-$version"
  if [ ! -d "$package" ]; then
    mkdir -p "$package"
    archive=$(cd "$work" && npm pack --silent "$name@$version")
    tar -xzf "$work/$archive" -C "$package" --strip-components=1
    printf '%s %s\n\n' "$name" "$version" >>"$work/licences"
    cat "$package/LICENSE" >>"$work/licences"
    printf '\n\n' >>"$work/licences"
  fi
  cp "$package/$from" "$vendor/$to"
  if [ "$to" = uPlot.min.js ]; then
    printf 'export default uPlot;\n' >>"$vendor/$to"
  fi
  printf '%s %s %s %s\n' "$name" "$version" "$to" "$(sha512sum "$vendor/$to" | cut -d' ' -f1)" >>"$work/lock"
done <<<"$list"
cp "$work/lock" "$vendor/vendor.lock"
cp "$work/licences" "$vendor/LICENSES"
