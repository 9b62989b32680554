#!/bin/sh
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
#
# Sets Forebay's password at the brokers and grants Forebay what docs/kafka.md lists. Can be run again, for example after
# the password has changed. Another program gets its password and rights in the same way.
set -eu
bin=${KAFKA_BIN:-/opt/kafka/bin}
secrets=${SECRETS:-/run/secrets}
brokers=${BROKERS:-kafka-1:9094,kafka-2:9094,kafka-3:9094}
files=$(mktemp -d)
trap 'rm -r "$files"' EXIT

# The brokers' own certificate: only they and this script have it.
cat >"$files/admin.properties" <<END
security.protocol=SSL
ssl.keystore.type=PEM
ssl.keystore.location=$secrets/kafka_broker
ssl.truststore.type=PEM
ssl.truststore.location=$secrets/kafka_ca
END

echo "SCRAM-SHA-512=password=$(cat "$secrets/kafka_forebay_password")" >"$files/forebay.properties"
"$bin/kafka-configs.sh" --bootstrap-server "$brokers" --command-config "$files/admin.properties" --alter \
  --entity-type users --entity-name forebay --add-config-file "$files/forebay.properties"

allow() {
  "$bin/kafka-acls.sh" --bootstrap-server "$brokers" --command-config "$files/admin.properties" --add \
    --allow-principal User:forebay "$@" >/dev/null
}
allow --operation Read --operation Describe --topic forebay. --group forebay. --resource-pattern-type prefixed
allow --operation Write --operation Describe --topic forebay. --transactional-id forebay. --resource-pattern-type prefixed
allow --operation Create --operation DescribeConfigs --topic forebay. --resource-pattern-type prefixed
allow --operation Describe --cluster
echo "Forebay has its password and its rights"
