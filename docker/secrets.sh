#!/bin/sh
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes the passwords that the compose files need, in docker/secrets (or in the directory given), each in a file of its own.
# What is there already stays.
set -eu
directory=${1:-$(dirname "$0")/secrets}
# Compose mounts these files as they are, and the processes in the containers are other users: so they are readable, in a
# directory that is not.
mkdir -p "$directory"
chmod 700 "$directory"
for name in postgres_password forebay_owner_password forebay_gateway_password grafana_password; do
  file=$directory/$name
  if [ ! -s "$file" ]; then
    od -An -N24 -tx1 /dev/urandom | tr -d ' \n' >"$file"
    chmod 444 "$file"
    echo "made $file"
  fi
done
