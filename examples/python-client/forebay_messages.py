# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of Forebay as bytes, as docs/message-format.md describes them."""

import hashlib
import os
import struct
import time as clock
import uuid
from datetime import date, datetime, time, timezone
from decimal import Decimal

from cbor2 import CBORTag, dumps, loads


def versioned(value, version):
    value = value & ~(0xF << 76) | version << 76
    return (value & ~(0x3 << 62) | 0x2 << 62).to_bytes(16, "big")


def new_id():
    millis = clock.time_ns() // 1_000_000
    return versioned(millis << 80 | int.from_bytes(os.urandom(10), "big"), 7)


def keyed_id(client, key):
    client = client.encode()
    digest = hashlib.sha256(struct.pack(">I", len(client)) + client + key.encode()).digest()
    return versioned(int.from_bytes(digest[:16], "big"), 8)


def message(id, headers, method, args):
    return dumps([0, id, clock.time_ns() // 1_000, headers, method, list(args)])


def statement(method, *args):
    return message(new_id(), None, method, args)


def keyed_statement(client, key, method, *args):
    return message(keyed_id("kafka:" + client, key), {"client": client, "key": key}, method, args)


def local_time(value):
    return CBORTag(64257, value.isoformat())


def local_date_time(value):
    return CBORTag(64258, value.isoformat())


def json_text(text):
    return CBORTag(262, text.encode())


def results(payload):
    """The id and position of each statement that the message answers, and its answers."""
    version, ids, micros, headers, *calls = loads(payload)
    if version not in (0, 2):
        raise ValueError(f"version {version} of the message format")
    answers = list(zip(calls[::2], calls[1::2]))
    return [
        (str(uuid.UUID(bytes=ids[16 * i:16 * i + 16])), headers["source"] + i, answers)
        for i in range(len(ids) // 16)
    ]
