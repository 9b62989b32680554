#!/usr/bin/env python3
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
"""Sends the lines of standard input, a JSON object each, as a stream to the HTTP door of Forebay. Needs no packages.

    python stream.py --token "$TOKEN" orders-nov-26 orders.place < orders.ndjson

Run it again with the same name and the same lines after a crash: lines that were accepted are not performed again.
--from skips lines that are known to be acknowledged.
"""
import argparse
import http.client
import itertools
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

LINES = 1000  # of a request; they are small enough for the buffers of the sockets, as the answer is read after the body
BYTES = 64 << 10
TEMPORARY = {408, 429, 502, 503, 504}


class Refused(Exception):
    """The door does not accept the stream."""


class Stopped(Exception):
    """The door accepted only some of the lines."""

    def __init__(self, reason, pause=None):
        super().__init__(reason)
        self.pause = pause


class Stream:
    def __init__(self, door, token, stream, statement, acknowledged=0):
        self.address = "%s/api/v1/statements/%s?stream=%s&from=" % (
            door.rstrip("/"), urllib.parse.quote(statement), urllib.parse.quote(stream))
        self.token = token
        self.acknowledged = acknowledged  # all lines up to this one were accepted or refused
        self.refused = {}  # the problems of lines

    def send(self, lines):
        """Sends lines until all are acknowledged; a full queue makes it wait."""
        first = self.acknowledged + 1
        pause = 0.05
        while self.acknowledged < first + len(lines) - 1:
            before = self.acknowledged
            try:
                self._request(lines[before + 1 - first:])
            except (OSError, http.client.HTTPException, Stopped) as stopped:
                if self.acknowledged > before:
                    pause = 0.05
                print("line %d: %s; trying again" % (self.acknowledged + 1, stopped), file=sys.stderr)
                time.sleep(getattr(stopped, "pause", None) or pause)
                pause = min(2 * pause, 5)

    def _request(self, lines):
        request = urllib.request.Request(self.address + str(self.acknowledged + 1), data=b"".join(lines), headers={
            "Authorization": "Bearer " + self.token,
            "Content-Type": "application/x-ndjson",
        })
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                for line in response:
                    if self._read(json.loads(line)):
                        return
        except urllib.error.HTTPError as error:
            if error.code not in TEMPORARY:
                raise Refused(error.read().decode("utf-8", "replace")) from None
            after = error.headers.get("Retry-After") or ""  # a proxy may send a date instead of seconds
            raise Stopped(str(error), int(after) if after.isdigit() else 0) from None
        except ValueError:
            pass  # the connection broke within a line
        raise Stopped("the answer is not complete")

    def _read(self, answer):
        if "complete" in answer:
            self.acknowledged = answer["last"] if answer["complete"] else answer["resume"] - 1
            if not answer["complete"]:
                problem = answer["problem"]
                if problem["status"] not in TEMPORARY:
                    raise Refused(json.dumps(problem))
                raise Stopped(problem["title"], problem.get("retryAfterMillis", 0) / 1000)
            return True
        if "problem" in answer:
            self.refused[answer["line"]] = answer["problem"]
        else:
            self.acknowledged = answer["to"]
        return False


def batches(lines):
    """Lists of lines that fit into a request."""
    batch, size = [], 0
    for line in lines:
        line = line.rstrip(b"\r\n") + b"\n"
        if batch and (len(batch) == LINES or size + len(line) > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--door", default="http://127.0.0.1:8080")
    parser.add_argument("--token", required=True)
    parser.add_argument("--from", dest="first", type=int, default=1, help="the first line of the input to send")
    parser.add_argument("stream", help="a name for these lines, and no others")
    parser.add_argument("statement", help="of the catalogue")
    given = parser.parse_args()

    stream = Stream(given.door, given.token, given.stream, given.statement, given.first - 1)
    for batch in batches(itertools.islice(sys.stdin.buffer, given.first - 1, None)):
        stream.send(batch)
    json.dump({"last": stream.acknowledged, "refused": stream.refused}, sys.stdout)
    print()


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        sys.exit(str(refused))
    except KeyboardInterrupt:
        pass
