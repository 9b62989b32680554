#!/bin/sh
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
#
# Generates the passwords that the compose files need, one file each, in docker/secrets or in the given directory.
# Existing files stay.
set -eu
directory=${1:-$(dirname "$0")/secrets}
# Compose mounts these files with their modes, and the processes in the containers run as other users. So the files are
# readable for all, but their directory is not.
mkdir -p "$directory"
chmod 700 "$directory"
for name in postgres_password forebay_owner_password forebay_gateway_password forebay_jobs_password grafana_password; do
  file=$directory/$name
  if [ ! -s "$file" ]; then
    od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$file"
    chmod 444 "$file"
    echo "made $file"
  fi
done
