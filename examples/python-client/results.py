#!/usr/bin/env python3
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the results of a gateway of Forebay on Kafka, one line of JSON each, starting with the oldest one kept.

    python results.py --gateway shop
"""
import argparse
import json
import sys

from confluent_kafka import Consumer, KafkaException

from forebay_messages import results


def read(servers, gateway, group, prefix="forebay.", **more):
    """Every result once, with its partition: (partition, id, source position, [(method, arguments), …])."""
    consumer = Consumer({
        "bootstrap.servers": servers,
        "group.id": group,
        "auto.offset.reset": "earliest",
        # Without this setting, aborted and duplicate results would be visible.
        "isolation.level": "read_committed",
        **more,
    })
    consumer.subscribe([prefix + gateway + ".out"])
    try:
        while True:
            record = consumer.poll(1.0)
            if record is None:
                continue
            if record.error():
                raise KafkaException(record.error())
            for id, source, answers in results(record.value()):
                if answers:  # an empty message marks a message without answer, or the end of a drain
                    yield record.partition(), id, source, answers
    finally:
        consumer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", default="localhost:9092")
    parser.add_argument("--prefix", default="forebay.", help="forebay.kafka.prefix")
    parser.add_argument("--gateway", required=True)
    parser.add_argument("--group", default="results-in-python", help="a consumer group of your own")
    parser.add_argument("--count", type=int, help="stop after this many results")
    given = parser.parse_args()

    seen = 0
    for partition, id, source, answers in read(given.servers, given.gateway, given.group, given.prefix):
        json.dump({"id": id, "partition": partition, "position": source, "answers": answers}, sys.stdout, default=str)
        print(flush=True)
        seen += 1
        if seen == given.count:
            return


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
