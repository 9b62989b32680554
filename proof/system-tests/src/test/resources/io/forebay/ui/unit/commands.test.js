/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { anotherPause, endOf } from '/app/actions.js';
import { changeLine } from '/app/screens/audit.js';
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

export function theAgeOfAPauseIsThatOfTheServersClock() {
  given({ at: '2026-11-20T02:31:10Z' });
  const document = { paused: { at: '2026-11-20T02:31:06Z', by: 'olga' } };
  equal(anotherPause({ status: 409, document }).text, 'Paused 4 s ago by olga. Replace this pause and its reason with yours?', 'age');
}

export function anEntrySaysWhatChanged() {
  equal(changeLine({ name: 'reason', before: '', after: 'migration' }), 'reason: none → migration', 'a change');
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
