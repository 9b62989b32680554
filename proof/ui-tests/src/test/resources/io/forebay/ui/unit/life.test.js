/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { segments, sentence } from '/app/parts/life.js';
import { arrivals } from '/app/screens/messages-live.js';
import { equal } from './expect.js';

const stage = (changes) => ({ service: 'orders', state: 'PERFORMED', reason: null, error: null, rows: null, ahead: null, waitingMicros: null, performingMicros: null, answeringMicros: null, totalMicros: null, ...changes });

export function whatBecameOfAMessageIsASentence() {
  equal(sentence(stage({ rows: 1 })), 'Performed by orders: 1 row', 'performed');
  equal(sentence(stage({ rows: 0 })), 'Performed by orders: 0 rows', 'no row');
  equal(sentence(stage({ state: 'FAILED', error: '23505 CONSTRAINT' })), 'Failed in orders: 23505 CONSTRAINT', 'failed');
  equal(sentence(stage({ state: 'WAITING', ahead: 2000, reason: 'the service is paused' })), 'Waits for orders, behind at most 2,000 messages: the service is paused', 'waits');
  equal(sentence(stage({ state: 'NEXT' })), 'First in line: orders performs it now, or next', 'next');
  equal(sentence(stage({ state: 'ANSWERED' })), 'Answered by orders earlier; the answer was deleted, so its outcome is not known here', 'deleted');
}

export function theLineHasEachTimeThatIsKnownAndOneForThoseThatAreNot() {
  const texts = (...stages) => segments(stages).map(({ text }) => text);
  equal(texts(stage({ waitingMicros: 2013, performingMicros: 110, answeringMicros: 1, totalMicros: 2124 })), ['waited 2 ms in orders', 'performed 110 µs in orders', 'answered 1 µs in orders'], 'recorded');
  equal(texts(stage({ totalMicros: 2124 })), ['appended, and answered by orders 2.1 ms later'], 'not recorded');
  equal(texts(stage({ waitingMicros: -50, performingMicros: 10, answeringMicros: 1 }))[0], 'waited −50 µs in orders', 'clocks differ');
  equal(texts(stage({ state: 'WAITING' })), [], 'waits');
}

export function aLiveTailSaysWhatItDoesNotShow() {
  const some = (arrived, looked, matched, shown) => ({ arrived, looked, matched, messages: Array(shown) });
  equal(arrivals(some(0, 0, 0, 0), false), 'no new message', 'none');
  equal(arrivals(some(7, 7, 7, 7), false), '7 new messages', 'all');
  equal(arrivals(some(2000, 50, 50, 50), false), '50 of 2,000 new messages shown', 'many');
  equal(arrivals(some(300, 300, 2, 2), true), '2 of 300 new messages match', 'filter');
  equal(arrivals(some(20000, 5000, 80, 50), true), '80 of 5,000 new messages match, 50 of them shown; 15,000 more were not searched', 'many with a filter');
}
