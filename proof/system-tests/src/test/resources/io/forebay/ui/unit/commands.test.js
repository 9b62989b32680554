/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { anotherPause } from '/app/parts/pause.js';
import { agoWords, actionWords, commandLine, lastCommands } from '/app/parts/last-commands.js';
import { endOf } from '/app/parts/until.js';
import { changeLine } from '/app/screens/audit.js';
import { equal } from './expect.js';

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
  equal(commandLine({ ...entry, outcome: 'allowed, until 2026-11-20T08:00:00Z' }), 'paused mail: “migration” (until 2026-11-20T08:00:00Z)', 'with an end');
  equal(commandLine({ ...entry, outcome: 'refused: already paused by paul since 2026-11-20T02:31:07Z' }), 'paused mail: “migration” (refused: already paused by paul since 2026-11-20T02:31:07Z)', 'refused');
  equal(commandLine({ ...entry, action: 'new.command', reason: '', outcome: 'failed: no' }), 'new.command mail (failed)', 'unknown and failed');
  equal(actionWords('http.POST'), 'sent a POST request', 'a refused request');
}

export function anEntrySaysWhatChanged() {
  equal(changeLine({ name: 'reason', before: '', after: 'migration' }), 'reason: none → migration', 'a change');
}

export function aFailedCommandIsListedOnce() {
  const entry = (id, outcome, reason = '') => ({ id, actor: 'olga', action: 'service.pause', target: 'mail', reason, outcome });
  const entries = [entry(6, 'failed: no'), entry(5, 'allowed'), entry(4, 'allowed'), entry(3, 'failed: no', 'b'), entry(2, 'allowed'), entry(1, 'allowed', 'b')];
  equal(lastCommands(entries).map(({ id }) => id), [6, 4, 3], 'newest three');
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

export function theTimeOfACommandDoesNotTickAfterTheFirstMinute() {
  const ago = (now) => agoWords('2026-11-20T02:31:07Z', now);
  equal(ago('2026-11-20T02:31:05Z'), 'just now', 'a clock that is behind');
  equal(ago('2026-11-20T02:31:19Z'), '12 s ago', 'seconds');
  equal([ago('2026-11-20T02:35:08Z'), ago('2026-11-20T02:36:06Z'), ago('2026-11-20T02:36:07Z')], ['4 m ago', '4 m ago', '5 m ago'], 'minutes');
  equal(ago('2026-11-20T11:51:30Z'), '9 h 20 m ago', 'hours');
}
