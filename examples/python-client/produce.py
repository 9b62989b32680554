#!/usr/bin/env python3
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
"""Sends one statement to a gateway of Forebay on Kafka, and prints where it was accepted.

    python produce.py --gateway shop notes.add@1 '"from Python"'
"""
import argparse
import json
import sys
import uuid

from confluent_kafka import Producer

from forebay_messages import statement


def id_of(payload):
    """The 16 bytes of a message's id. Three bytes precede them: for the array, the version and the length of the id."""
    return payload[3:19]


class Statements:
    """Sends statements to the in-topic of a gateway. For one thread."""

    def __init__(self, servers, gateway, prefix="forebay.", **more):
        self.topic = prefix + gateway + ".in"
        self.accepted = []
        self.refused = []
        self.producer = Producer({
            "bootstrap.servers": servers,
            # A message is accepted when all in-sync replicas have it; retries of the client create no duplicates.
            "acks": "all",
            "enable.idempotence": True,
            # The same partitions as Java clients.
            "partitioner": "murmur2_random",
            "message.max.bytes": 1_310_720,
            **more,
        })

    def send(self, payload, key=None):
        """Hands over a message. Messages with the same key are performed in order."""
        self.producer.produce(
            self.topic,
            value=payload,
            key=key.encode() if key is not None else id_of(payload),
            on_delivery=self._delivered)
        self.producer.poll(0)

    def _delivered(self, error, record):
        (self.refused if error else self.accepted).append((error, record))

    def flush(self, seconds=30):
        """Waits until all messages are accepted. After an error it is unknown which of the unacknowledged ones arrived."""
        left = self.producer.flush(seconds)
        if left or self.refused:
            raise RuntimeError(f"{left} unacknowledged, refused: {[str(error) for error, _ in self.refused]}")
        records = [record for _, record in self.accepted]
        self.accepted = []
        return records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="localhost:9092")
    parser.add_argument("--prefix", default="forebay.", help="forebay.kafka.prefix")
    parser.add_argument("--gateway", required=True)
    parser.add_argument("--key", help="statements with the same key are performed in order")
    parser.add_argument("statement", help="name@version of the catalogue, or SQL if the gateway accepts it")
    parser.add_argument("args", nargs="*", type=json.loads, help="as JSON")
    given = parser.parse_args()

    statements = Statements(given.servers, given.gateway, given.prefix)
    payload = statement("executeUpdate", given.statement, given.args)
    statements.send(payload, given.key)
    for record in statements.flush():
        json.dump({
            "id": str(uuid.UUID(bytes=id_of(payload))),
            "partition": record.partition(),
            "position": record.offset(),
        }, sys.stdout)
        print()


if __name__ == "__main__":
    main()
