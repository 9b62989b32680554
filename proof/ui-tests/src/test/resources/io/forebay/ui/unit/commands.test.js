/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { anotherPause } from '/app/parts/pause.js';
import { agoWords, actionWords, commandLine, lastCommands } from '/app/parts/last-commands.js';
import { judgedText } from '/app/parts/judged.js';
import { changeLine } from '/app/parts/undo.js';
import { endOf } from '/app/parts/until.js';
import { checkLine, thenHref } from '/app/screens/audit.js';
import { equal } from './expect.js';
import { given } from './page.js';

const now = Date.parse('2026-11-20T02:31:07Z');

export function aPauseOfSomebodyElseIsAConfirmationWithItsAge() {
  const document = { paused: { at: '2026-11-20T02:31:06.123456Z', by: 'olga', reason: 'migration' } };
  equal(anotherPause({ status: 409, document }, now), {
    text: 'Paused 1 s ago by olga: “migration”. Replace this pause and its reason with yours?',
    verb: 'Replace the pause',
    seen: '2026-11-20T02:31:06.123456Z',
  }, 'a pause');
  equal(anotherPause({ status: 409, document: {} }, now), null, 'another conflict');
  equal(anotherPause({ status: 400, document }, now), null, 'another problem');
}

export function aCommandIsALineWithItsReasonAndAnUnusualOutcome() {
  const entry = { action: 'service.pause', target: 'mail', reason: 'migration', outcome: 'allowed' };
  equal(commandLine(entry), 'paused mail: “migration”', 'with a reason');
  equal(commandLine({ ...entry, reason: '' }), 'paused mail', 'without');
  const until = '2026-11-20T08:00:00Z';
  equal(commandLine({ ...entry, outcome: 'allowed, was already paused', parts: { note: 'was already paused' } }), 'paused mail: “migration” (was already paused)', 'no change');
  equal(commandLine({ ...entry, outcome: `allowed, until ${until}`, parts: { until } }), 'paused mail: “migration” (until 20 Nov 08:00 UTC)', 'with an end');
  equal(commandLine({ ...entry, parts: { note: 'was already paused', until } }), 'paused mail: “migration” (was already paused, until 20 Nov 08:00 UTC)', 'both');
  equal(commandLine({ ...entry, outcome: 'refused: …', parts: { by: 'paul', since: '2026-11-20T02:31:07Z' } }), 'tried to pause mail: “migration” (refused: already paused by paul since 20 Nov 02:31 UTC)', 'refused');
  equal(commandLine({ ...entry, action: 'new.command', reason: '', outcome: 'refused, 3 times' }), 'new.command mail (refused, 3 times)', 'an outcome of another version');
  equal(commandLine({ ...entry, action: 'new.command', reason: '', outcome: 'failed: no' }), 'new.command mail (failed)', 'unknown and failed');
}

export function aCommandNamesWhatItWasAboutInWords() {
  given({ tiles: { disk: { volume: '/var/lib_a' } } });
  const line = (action, target, parts) => commandLine({ action, target, reason: '', outcome: 'allowed', parts });
  equal(line('alert.silence', 'failing~payments', { kind: 'failing', object: 'payments' }), 'silenced the alert that statements of payments fail', 'a service');
  equal(line('alert.acknowledge', 'disk~_var_lib_a', { kind: 'disk', object: '_var_lib_a' }), 'acknowledged the alert that the disk /var/lib_a will be full', 'a volume');
  equal(line('alert.end-silence', 'memory~host', { kind: 'memory', object: 'host' }), 'ended the silence of the alert that too much memory waits for the disk', 'the host');
  equal(line('alert.silence', 'new~payments', { kind: 'new', object: 'payments' }), 'silenced new~payments', 'a kind of another version');
  equal(line('service.fail-message', 'orders/0/17', { object: 'orders', partition: '0', position: '17' }), 'failed message 17 of orders, partition 0', 'a message');
  equal(line('service.set-aside', 'orders/2', { object: 'orders', partition: '2' }), 'set aside damage in orders, partition 2', 'a partition');
}

export function anImportIsNamedByItsFileAndStatement() {
  const line = (action, target, reason, parts, outcome = 'allowed') => commandLine({ action, target, reason, outcome, parts });
  const target = `orders.place sha256:${'0'.repeat(64)} /data/broken.csv`;
  const parts = { object: 'orders.place', file: 'broken.csv' };
  equal(line('job.import', target, 'execution 3', parts), 'imported broken.csv with orders.place (execution 3)', 'an import');
  equal(line('job.import', target, 'execution 3', parts, 'failed: no'), 'imported broken.csv with orders.place (execution 3, failed)', 'a refused one');
  equal(line('job.start', 'import {wait=true}', '', { object: 'import', given: 'wait=true' }), 'started job import with wait=true', 'the start of a job');
  equal(line('catalogue.reload', 'catalogue', ''), 'reloaded the catalogue', 'what has one object only');
  equal(actionWords('http.POST'), 'sent a POST request', 'a refused request');
}

export function limitsOfCallersAreInWords() {
  const entry = { target: 'billing', reason: 'runaway import' };
  const until = '2026-11-20T03:31:00Z';
  equal(commandLine({ ...entry, action: 'caller.limit', outcome: `allowed, until ${until}`, parts: { until } }), 'limited billing: “runaway import” (until 20 Nov 03:31 UTC)', 'a limit');
  equal(commandLine({ ...entry, action: 'caller.limit', outcome: 'refused: …', parts: { by: 'paul', since: until } }), 'tried to limit billing: “runaway import” (refused: already limited by paul since 20 Nov 03:31 UTC)', 'refused');
  equal(commandLine({ ...entry, action: 'caller.lift', reason: '', outcome: 'allowed' }), 'lifted the limit of billing', 'lifted');
}

export function theCheckOfTheAuditIsASentence() {
  const check = { intact: true, from: 3, to: 1204, entries: 1202, unnumbered: 0, findings: [], at: '2026-11-20T02:31:07Z' };
  equal(checkLine(check), 'No entry was changed or deleted: numbers 3 to 1,204, checked at 02:31:07 UTC.', 'intact');
  const findings = [{ text: 'entry 7 is changed' }, { text: 'entries 9 to 10 are missing' }];
  equal(checkLine({ ...check, intact: false, unnumbered: 2, findings }),
    'Entries were changed or deleted in the database: entry 7 is changed; entries 9 to 10 are missing. 2 later without a number: written by an older version, or not by Forebay.', 'damaged');
}

export function aFailedCommandIsListedOnce() {
  const entry = (id, outcome, reason = '') => ({ id, actor: 'olga', action: 'service.pause', target: 'mail', reason, outcome });
  const entries = [entry(6, 'failed: no'), entry(5, 'allowed'), entry(4, 'allowed'), entry(3, 'failed: no', 'b'), entry(2, 'allowed'), entry(1, 'allowed', 'b')];
  equal(lastCommands(entries).map(({ id }) => id), [6, 4, 3], 'newest three');
}

export function aRefusedPauseIsNotListedOnceItReplacedTheOther() {
  const entry = (id, outcome, reason = '') => ({ id, actor: 'olga', action: 'service.pause', target: 'mail', reason, outcome });
  const entries = [entry(4, 'allowed', 'b'), entry(3, 'refused: already paused by paul', 'c'), entry(2, 'refused: already paused by paul', 'b'), entry(1, 'allowed', 'c')];
  equal(lastCommands(entries).map(({ id }) => id), [4, 3, 1], 'without the refused one');
}

export function thePauseOfAnotherShowsItsEnd() {
  const at = Date.parse('2026-11-20T02:31:00Z');
  const document = { paused: { at: '2026-11-20T02:30:59Z', by: 'olga', reason: '', until: '2026-11-20T08:00:00Z' } };
  equal(anotherPause({ status: 409, document }, at).text, 'Paused 1 s ago by olga until 08:00 UTC. Replace this pause and its reason with yours?', 'with an end');
}

export function aPauseEndsAtTheNextTimeThatTheClockShows() {
  const at = Date.parse('2026-11-20T22:31:00Z');
  equal(endOf('', '', at), null, 'no end');
  equal(endOf('1h', '', at), '1h', 'a duration');
  equal(endOf('at', '08:00', at), '2026-11-21T08:00:00.000Z', 'tomorrow');
  equal(endOf('at', '23:15', at), '2026-11-20T23:15:00.000Z', 'today');
  let problem = null;
  try {
    endOf('at', '', at);
  } catch (error) {
    problem = error.message;
  }
  equal(problem, 'Enter a time, such as 08:00.', 'no time');
}

export function anEntrySaysWhatChangedAndLinksToTheTimeBefore() {
  equal(changeLine({ name: 'reason', before: '', after: 'migration' }), 'reason: none → migration', 'change');
  const entry = { at: '2026-11-20T01:00:00.123456Z', action: 'service.fail-message', target: 'a b/0/17' };
  equal(decodeURIComponent(thenHref(entry)), '/admin/services/a b?at=2026-11-20T01:00:00.123456Z', 'a service');
  equal(decodeURIComponent(thenHref({ ...entry, action: 'user.create', target: 'olga' })), '/admin/?at=2026-11-20T01:00:00.123456Z', 'all services');
}

export function theCapacitySaysHowWellItWasJudged() {
  equal(judgedText({ v: { low: 0.9, high: 1.1, comparisons: 41, span: 259200 } }), 'measured was 0.9–1.1 of it in 41 comparisons over 3 d', 'a band');
  equal(judgedText({ v: { low: 1, high: 1.004, comparisons: 10, span: 600 } }), 'measured was 1 of it in 10 comparisons over 10 m', 'one value');
  equal(judgedText({ why: 'needs 10 minutes with a backlog, has 3' }), 'accuracy unknown: needs 10 minutes with a backlog, has 3', 'too few');
}

export function replaysAndBurstsAreInWords() {
  const group = { kind: 'failed', object: 'crm', error: '23514', cause: 'contacts.add', messages: 1265 };
  const line = (action, parts) => commandLine({ action, target: 'failed 23514 of crm', reason: 'fixed', outcome: 'allowed', parts: { ...group, ...parts } });
  const end = (state, sent, done, failed, count, why) => line('failures.replay.result', { state, sent, done, failed, count, why });
  equal(line('failures.replay'), 'started a replay of 1,265 failed statements of crm (contacts.add, 23514): “fixed”', 'a replay');
  equal(end('failed', 3, 0, 3, 1265, 'Stopped at 10 of 1,265: 3 messages in a row failed again.'), 'replay of 1,265 failed statements of crm (contacts.add, 23514) stopped: 3 of 1,265 sent, 0 performed, 3 failed again', 'failed again');
  equal(end('failed', 79, 79, 0, 967, 'Stopped at 79 of 967: the database is away.'), 'replay of 1,265 failed statements of crm (contacts.add, 23514) stopped: 79 of 967 sent, 79 performed, 0 failed again. Stopped at 79 of 967: the database is away.', 'an outage');
  equal(end('done', 967, 967, 0, 967), 'replay of 1,265 failed statements of crm (contacts.add, 23514) done: 967 of 967 sent, 967 performed, 0 failed again', 'done');
  equal(end('stopped', 1002, 1000, 2, 1265), 'replay of 1,265 failed statements of crm (contacts.add, 23514) stopped: 1,002 of 1,265 sent, 1,000 performed, 2 failed again', 'stopped');
  equal(line('failures.discard'), 'discarded 1,265 failed statements of crm (contacts.add, 23514): “fixed”', 'a decision about all');
  equal(line('failures.replay', { kind: 'dead', error: 'MALFORMED', cause: undefined, object: 'main', messages: 1 }), 'started a replay of 1 dead letter of main (MALFORMED): “fixed”', 'one');
  equal(commandLine({ action: 'demo.burst', target: 'demo', reason: '30 s', outcome: 'allowed' }), 'started a burst of 30 s', 'a burst');
  equal(commandLine({ action: 'failures.replay.result', target: 'crm', reason: '', outcome: 'ended' }), 'replay of crm ended: ended', 'of another version');
}

export function aReplayThatEndedIsListedOnce() {
  const entry = (id, action, reason = 'fixed') => ({ id, actor: 'olga', action, target: 'crm', reason, outcome: 'allowed' });
  const entries = [entry(4, 'failures.replay.result'), entry(3, 'failures.replay', 'again'), entry(2, 'failures.replay'), entry(1, 'failures.replay')];
  equal(lastCommands(entries).map(({ id }) => id), [4, 3, 1], 'the newest of the same');
}

export function theResultOfAReplayHidesNoOtherOne() {
  const entry = (id, outcome) => ({ id, actor: 'olga', action: 'failures.replay.result', target: 'crm', reason: '', outcome });
  equal(lastCommands([entry(2, 'failed: no'), entry(1, 'done: 1 of 1 sent, 1 performed, 0 failed again')]).map(({ id }) => id), [2, 1], 'both');
}

export function theTimeOfACommandDoesNotTickAfterTheFirstMinute() {
  const ago = (now) => agoWords('2026-11-20T02:31:07Z', now);
  equal(ago('2026-11-20T02:31:05Z'), 'just now', 'a clock that is behind');
  equal(ago('2026-11-20T02:31:19Z'), '12 s ago', 'seconds');
  equal([ago('2026-11-20T02:35:08Z'), ago('2026-11-20T02:36:06Z'), ago('2026-11-20T02:36:07Z')], ['4 m ago', '4 m ago', '5 m ago'], 'minutes');
  equal(ago('2026-11-20T11:51:30Z'), '9 h 20 m ago', 'hours');
}
