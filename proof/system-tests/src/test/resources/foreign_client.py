# Copyright The Forebay Authors
# SPDX-License-Identifier: Apache-2.0
"""A foreign client: it sends statements of every kind, and garbage, and reads the results.

Run by ForeignClientIT with the folder of the example, the servers, the prefix and the gateway. It fails with an exception, and
prints as JSON what only the test can judge.
"""
import json
import sys
import time as clock
import uuid
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

folder, servers, prefix, gateway = sys.argv[1:]
sys.path.insert(0, folder)

from cbor2 import CBORTag, dumps  # noqa: E402
from forebay_messages import json_text, keyed_statement, local_date_time, local_time, new_id, statement  # noqa: E402
from produce import Statements, id_of  # noqa: E402
from results import read  # noqa: E402

ROW = CBORTag(39, "row")
COLUMNS = ("id, truth, whole, floating, decimal_number, words, bytes, day, clock, local_moment, moment, uid, document, many")
INSERT = f"insert into everything ({COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

UID = uuid.UUID("01890a5d-ac96-774b-bcce-b302099a8057")
FULL = [
    1, True, -2**63, 0.1, Decimal("12345678901234567890.123456789"), "Ä ☃ 𝄞", bytes(range(256)), date(2025, 6, 1), local_time(time(12, 30, 0, 5)),
    local_date_time(datetime(2025, 6, 1, 12, 30)), datetime(2025, 6, 1, 12, 30, tzinfo=timezone(timedelta(hours=2))), UID,
    json_text('{"a": [1, null]}'), [1, 2, 3],
]
EMPTY = [2] + [None] * 13
INFINITE = [3, False, 0, float("inf"), Decimal(0), "", b"", None, None, None, None, None, None, []]

statements = Statements(servers, gateway, prefix)
expected = {}


def send(payload, *answers, key=None):
    """Sends a message with its expected answers: each is a predicate."""
    statements.send(payload, key)
    expected[str(uuid.UUID(bytes=id_of(payload)))] = answers


def updated(count):
    return lambda method, args: method == "updateResult" and args == [count]


def failed(state, kind, of="update"):
    return lambda method, args: (
        method == of + "Thrown"
        and args[0]["sqlState"] == state
        and args[0]["kind"] == kind
        and isinstance(args[0]["message"], str))


def rows(values):
    def check(method, args):
        return method == "queryResult" and args[0]["values"] == values
    return check


def the_full_row(method, args):
    assert method == "queryResult", (method, args)
    assert args[0]["columns"] == COLUMNS.split(", "), args
    [row] = args[0]["values"]
    assert row[:8] == FULL[:8], row
    assert [type(value) for value in row[:8]] == [int, bool, int, float, Decimal, str, bytes, date], row
    # Values with Forebay's own tags stay tagged.
    assert row[8] == CBORTag(64257, "12:30:00.000005"), row
    assert row[9].tag == 64258 and datetime.fromisoformat(row[9].value) == datetime(2025, 6, 1, 12, 30), row
    assert isinstance(row[10], datetime) and row[10] == FULL[10], row
    assert row[11] == UID, row
    assert row[12].tag == 262 and json.loads(row[12].value) == {"a": [1, None]}, row
    assert row[13] == [1, 2, 3], row
    return True


# One key, so that the statements are performed in this order.
for args in (FULL, EMPTY, INFINITE):
    send(statement("executeUpdate", INSERT, args), updated(1), key="one")
send(statement("executeUpdate", INSERT, FULL), failed("23505", "CONSTRAINT"), key="one")
send(statement("executeUpdate", "insert into nowhere values (?)", [1]), failed("42P01", "STATEMENT"), key="one")
send(statement("executeUpdate", "rollback", []), failed("0A000", "UNSUPPORTED"), key="one")
send(statement("executeQuery", f"select {COLUMNS} from everything where id = ?", ROW, [1]), the_full_row, key="one")
send(
    statement("executeQuery", "select floating, whole, truth, words, day from everything where id in (?, ?) order by id", ROW, [2, 3]),
    rows([[None, None, None, None, None], [float("inf"), 0, False, "", None]]),
    key="one")
send(statement("executeQuery", "select nothing from everything", ROW, []), failed("42703", "STATEMENT", of="query"), key="one")
send(
    statement("executeTogether", [
        {"sql": "update everything set words = ? where id = ?", "args": ["both", 1]},
        {"sql": "update everything set words = ? where id in (?, ?)", "args": ["both", 2, 3]}]),
    updated(1), updated(2), key="one")
send(
    statement("executeTogether", [
        {"sql": "update everything set words = 'neither'", "args": []},
        {"sql": "insert into everything (id) values (?)", "args": [1]}]),
    failed("23505", "CONSTRAINT"), key="one")
# The same idempotency key again, as after a lost answer: one effect, and the same answer.
for _ in range(2):
    send(keyed_statement("shop", "order 7", "executeUpdate", "update everything set whole = whole + 1 where id = 3", []), updated(1), key="one")
    statements.flush()
again = str(uuid.UUID(bytes=id_of(keyed_statement("shop", "order 7", "executeUpdate", "", []))))

# Without an ordering key: the id determines the partition.
for number in range(10, 40):
    send(statement("executeUpdate", "insert into everything (id) values (?)", [number]), updated(1))

# What is not allowed: with an id that can be read it has an answer, else it has none.
undecodable = failed("HY000", "UNDECODABLE")
deep = []
for _ in range(40):
    deep = [deep]
for payload in (
    statement("executeNothing", "select 1", []),
    statement("executeUpdate", "select 1"),
    statement("executeUpdate", 1, []),
    statement("executeUpdate", "select 1", [{1, 2}]),
    statement("executeUpdate", "select 1", [2**64]),
    statement("executeUpdate", "select 1", [{"a": 1}]),
    statement("executeUpdate", "select 1", [CBORTag(64256, "x")]),
    statement("executeUpdate", "select 1", [CBORTag(0, "2025-13-01T00:00:00Z")]),
    statement("executeUpdate", "select 1", [Decimal("1E+20000")]),
    statement("executeUpdate", "select 1", [deep]),
    statement("executeQuery", "select 1", CBORTag(39, "java.lang.Runtime"), []),
    statement("executeQuery", "select 1", "java.lang.Runtime", []),
    statement("executeUpdate", "select 1", [b"\0"]) + b"more",
    statement("executeTogether", [{"sql": "select 1", "args": [], "more": 1}]),
):
    send(payload, undecodable)
unanswered = (
    b"",
    None,
    b"not CBOR",
    dumps({"sql": "select 1"}),
    dumps([1, new_id(), 0, None, "executeUpdate", ["select 1", []]]),
    dumps([0, "an id", 0, None, "executeUpdate", ["select 1", []]]),
    b"\x9f" + statement("executeUpdate", "select 1", [])[1:] + b"\xff",
)
for payload in unanswered:
    statements.producer.produce(statements.topic, value=payload, key=b"one", on_delivery=statements._delivered)
# The service continues after all that.
send(statement("executeUpdate", "update everything set truth = true where id = ?", [2]), updated(1), key="one")
places = statements.flush()
assert len({record.partition() for record in places}) == 2, "all in one partition"

deadline = clock.monotonic() + 60
seen = []
order = {}
for partition, id, source, answers in read(servers, gateway, "a reader that is not Forebay", prefix):
    assert source > order.get(partition, -1), "not in the order of their sources"
    order[partition] = source
    seen.append(id)
    checks = expected.get(id)
    assert checks is not None, f"a result of nobody's: {id} {answers}"
    assert len(checks) == len(answers), (id, answers)
    for check, (method, args) in zip(checks, answers):
        assert check(method, args), (id, method, args)
    if set(expected) <= set(seen) and seen.count(again) == 2:
        break
    assert clock.monotonic() < deadline, f"unanswered: {set(expected) - set(seen)}"
twice = {id for id in seen if seen.count(id) > 1 and id != again}
assert not twice, f"answered twice: {twice}"

print(json.dumps({
    "undecodable": 14 + len(unanswered),
    "partitions": {record.key().hex(): record.partition() for record in places if len(record.key()) == 16},
    "one": [record.partition() for record in places if record.key() == b"one"][0],
}))
