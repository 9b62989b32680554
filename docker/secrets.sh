#!/bin/sh
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
#
# Generates what the compose files need, in docker/secrets or in the given directory: passwords, one file each, and the
# certificates of the Kafka brokers. Existing files stay. KAFKA_HOSTS names the hosts of the brokers.
set -eu
directory=${1:-$(dirname "$0")/secrets}
# Compose mounts these files with their modes, and the processes in the containers run as other users. So the files are
# readable for all, but their directory is not.
umask 077
mkdir -p "$directory"
chmod 700 "$directory"

# $1: name; standard input: its content
make() {
  cat >"$directory/$1.new"
  chmod 444 "$directory/$1.new"
  mv "$directory/$1.new" "$directory/$1"
  echo "made $directory/$1"
}

for name in postgres_password forebay_owner_password forebay_gateway_password grafana_password kafka_forebay_password; do
  if [ ! -s "$directory/$name" ]; then
    od -An -N24 -tx1 /dev/urandom | tr -d ' \n' | make "$name"
  fi
done
if [ ! -s "$directory/kafka_forebay_jaas" ]; then
  printf 'org.apache.kafka.common.security.scram.ScramLoginModule required username="forebay" password="%s";' \
    "$(cat "$directory/kafka_forebay_password")" | make kafka_forebay_jaas
fi

# A certificate authority that signs one certificate, which all brokers have; then its key is deleted.
if [ ! -s "$directory/kafka_broker" ] || [ ! -s "$directory/kafka_ca" ]; then
  if ! command -v openssl >/dev/null; then
    echo "openssl is missing: no certificates for compose.kafka.yaml; the other compose files do not need them" >&2
    exit 0
  fi
  names=DNS:localhost
  for host in ${KAFKA_HOSTS:-kafka-1 kafka-2 kafka-3}; do
    names=$names,DNS:$host
  done
  work=$(mktemp -d)
  trap 'rm -r "$work"' EXIT
  key() {
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"
  }
  key "$work/ca.key"
  openssl req -x509 -new -key "$work/ca.key" -days 3650 -subj "/CN=Kafka CA of Forebay" -out "$work/ca.pem"
  key "$work/broker.key"
  openssl req -new -key "$work/broker.key" -subj "/CN=kafka" -out "$work/broker.csr"
  echo "subjectAltName=$names" >"$work/extensions"
  openssl x509 -req -in "$work/broker.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 3650 \
    -extfile "$work/extensions" -out "$work/broker.pem" 2>/dev/null
  cat "$work/broker.key" "$work/broker.pem" | make kafka_broker
  make kafka_ca <"$work/ca.pem"
fi
