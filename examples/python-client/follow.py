#!/usr/bin/env python3
# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the results of all statements sent with a token to the HTTP door of Forebay, a JSON object each. Needs no packages.

    python follow.py --token "$TOKEN" --position position.txt

The file has the position after the last printed page. Run it again after a crash: no result is missed, and at most one page is printed twice.
"""
import argparse
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

WAIT = 20  # seconds that the door waits for the first result
TEMPORARY = {408, 429, 502, 503, 504}


class Refused(Exception):
    """The door does not return the results."""


def page(door, token, position):
    """The results after a position, and the next position; waits for the first result, and while the door does not answer."""
    query = urllib.parse.urlencode({"from": position, "wait": "%ds" % WAIT})
    request = urllib.request.Request("%s/api/v1/results?%s" % (door.rstrip("/"), query), headers={
        "Authorization": "Bearer " + token,
    })
    pause = 0.05
    while True:
        try:
            with urllib.request.urlopen(request, timeout=WAIT + 30) as response:
                document = json.load(response)
                return document["results"], document["next"]
        except urllib.error.HTTPError as error:
            if error.code not in TEMPORARY:
                raise Refused(error.read().decode("utf-8", "replace")) from None
            print("%s; trying again" % error, file=sys.stderr)
            after = error.headers.get("Retry-After") or ""  # a proxy may send a date instead of seconds
            pause = max(pause, int(after) if after.isdigit() else 0)
        except (OSError, http.client.HTTPException, ValueError) as error:
            print("%s; trying again" % error, file=sys.stderr)
        time.sleep(pause)
        pause = min(2 * pause, 5)


def read(file):
    try:
        with open(file) as stored:
            return stored.read().strip() or "start"
    except FileNotFoundError:
        return "start"


def store(file, position):
    """Replaces the file as a whole, so that a crash leaves the old or the new position."""
    with open(file + ".new", "w") as stored:
        stored.write(position)
        stored.flush()
        os.fsync(stored.fileno())
    os.replace(file + ".new", file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--door", default="http://127.0.0.1:8080")
    parser.add_argument("--token", required=True)
    parser.add_argument("--position", required=True, help="a file; if it is missing, begins with the first result that is kept")
    parser.add_argument("--until", type=int, help="ends after so many results")
    given = parser.parse_args()

    position = read(given.position)
    count = 0
    while given.until is None or count < given.until:
        results, position = page(given.door, given.token, position)
        for result in results:
            print(json.dumps(result))
        sys.stdout.flush()
        store(given.position, position)
        count += len(results)


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        sys.exit(str(refused))
    except KeyboardInterrupt:
        pass
