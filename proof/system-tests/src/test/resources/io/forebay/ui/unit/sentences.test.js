/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { lagParts, next, pause } from '/app/sentences.js';
import { equal } from './expect.js';

const fine = { state: 'keeping_up', severity: 'fine', limit: 300 };

export function saysNothingOfAServiceThatKeepsUp() {
  equal(next(fine).text, '', 'next');
}

export function namesTheTimeUntilTheLimitIsPassed() {
  equal(next({ ...fine, severity: 'watch', late: { v: { in: 720 } } }), { text: 'passes its 5 m limit in 12 m', severity: 'watch' }, 'measured');
  equal(next({ ...fine, late: { v: { in: 720 }, why: 'trend' } }).text, 'passes its 5 m limit in ≈ 12 m', 'estimated');
}

export function noForecastIsMoreAccurateThanASecond() {
  equal(next({ ...fine, state: 'draining', clear: { v: { in: 0.998 }, why: 'trend' } }).text, 'catches up in ≈ 1 s', 'next');
}

export function saysWhenABacklogPastItsLimitIsClear() {
  const late = { ...fine, state: 'growing', severity: 'bad', late: { v: { passed: true } } };
  equal(next(late), { text: 'past its 5 m limit', severity: 'bad' }, 'no end known');
  equal(next({ ...late, clear: { v: { in: 60 } } }).text, 'past its 5 m limit; catches up in 1 m', 'with an end');
  equal(next({ ...late, severity: 'watch' }).severity, 'watch', 'as severe as the verdict');
  const both = next({ ...fine, state: 'draining', severity: 'watch', clear: { v: { in: 39 } }, late: { v: { in: 35 } } });
  equal(both.text, 'catches up in 39 s, but passes its 5 m limit in 35 s', 'one forecast');
  const grows = next({ ...fine, state: 'growing', severity: 'watch', behind: { v: 14 }, late: { v: { never: 'not yet' } } });
  equal(grows.text, 'passes its 5 m limit in 4 m 46 s at the earliest', 'needs no rate');
  equal(next({ ...fine, clear: { v: { in: 0.003 } } }).text, '', 'keeps up, whatever is in flight');
}

export function aFailedServiceNeedsAttentionWithItsReason() {
  equal(next({ ...fine, state: 'failed', reason: 'disk full' }), { text: 'needs attention', severity: 'bad', why: 'disk full' }, 'failed');
}

export function aServiceThatWaitsForItsDatabaseIsNeverUnknown() {
  const waiting = { ...fine, state: 'waiting', severity: 'watch' };
  equal(next({ ...waiting, late: { v: { never: 'nothing waits' } } }), { text: 'resumes automatically', severity: 'watch', why: 'nothing waits' }, 'nothing waits');
  equal(next({ ...waiting, late: { v: { in: 41 } } }).text, 'passes its 5 m limit in 41 s', 'before its limit');
  equal(next({ ...waiting, late: { v: { passed: true } }, clear: { v: { never: 'nothing is performed' } } }).text, 'past its 5 m limit', 'after it');
}

export function aServiceWhoseResultsHaveNoRoomStandsStill() {
  const full = { ...fine, state: 'refusing', severity: 'bad', standsStill: true, reason: 'the disk is full', clear: { v: { never: 'nothing is performed at present' } } };
  equal(next({ ...full, late: { v: { in: 41 } } }), { text: 'stands still until space is freed', severity: 'bad', why: 'the disk is full' }, 'before its limit');
  equal(next({ ...full, late: { v: { passed: true } } }).text, 'past its 5 m limit; stands still until space is freed', 'after it');
  equal(next({ ...full, clear: { v: { in: 13 } } }).text, 'stands still until space is freed', 'whatever the rates were');
  equal(lagParts({ ...full, behind: { v: 12 }, unperformed: { v: 2 } }).map((part) => part.text).slice(1, 4), ['limit 5 m', 'stands still until space is freed', 'accepts –/s, performs –/s'], 'on its own screen');
}

export function aPausedServiceWaits() {
  equal(next({ ...fine, state: 'paused' }).text, 'paused until resumed', 'no limit near');
  equal(next({ ...fine, paused: {}, late: { v: { passed: true } } }).text, 'paused; past its 5 m limit', 'late');
  equal(next({ ...fine, paused: {}, late: { v: { in: 60 } } }).text, 'paused; passes its 5 m limit in 1 m', 'before its limit');
}

export function aPauseWithAnEndResumesThen() {
  const now = Date.parse('2026-11-20T02:31:00Z');
  const paused = { until: '2026-11-20T08:00:00Z' };
  equal(next({ ...fine, paused }, now).text, 'paused until 08:00', 'nothing waits');
  equal(next({ ...fine, paused, late: { v: { in: 60 } } }, now).text, 'paused until 08:00; passes its 5 m limit in 1 m', 'late before the end');
  equal(next({ ...fine, paused, late: { v: { in: 6 * 3600 } } }, now).text, 'paused until 08:00', 'late after it');
  equal(next({ ...fine, paused: { until: '2026-11-22T08:00:00Z' } }, now).text, 'paused until 22 Nov 08:00', 'another day');
}

export function aPauseSaysForHowLongByWhomAndWhenAMessageBecomesLate() {
  const now = Date.parse('2026-11-20T02:31:00Z');
  const paused = { by: 'olga', at: '2026-11-20T01:00:00Z', reason: 'migration' };
  equal(pause({ ...fine, paused, late: { v: { in: 60 } } }, now), { reason: 'migration', by: 'olga', began: paused.at, held: '1 h 31 m', replaced: null, lateAt: '2026-11-20T02:32:00.000Z' }, 'with waiting messages');
  const replaced = pause({ ...fine, paused: { ...paused, first: { at: '2026-11-20T00:30:00Z', by: 'paul', reason: 'index' } } }, now);
  equal([replaced.held, replaced.by, replaced.reason, replaced.replaced.by, replaced.replaced.reason], ['2 h 1 m', 'olga', 'migration', 'paul', 'index'], 'replaced');
  equal(pause({ ...fine, paused, late: { v: { never: 'no message waits' } } }, now).lateAt, null, 'without');
  equal(pause(fine, now), null, 'not paused');
}

export function countsOneWaitingMessageInTheSingular() {
  equal(lagParts({ ...fine, unperformed: { v: 1 } })[0].text, '1 message waits', 'one');
  equal(lagParts({ ...fine, unperformed: { v: 2 } })[0].text, '2 messages wait', 'two');
}

export function saysHowMuchSlowerADatabaseIs() {
  const slower = (now) => lagParts({ ...fine, slowerNow: now }).find((part) => part.severity === 'watch').text;
  equal(slower({ perSecond: 20, times: 6.1 }), 'its database is slower than usual: a message takes 6.1 times as long, 20/s at most', 'slower, and by how much');
  equal(slower({ perSecond: null, times: 6.1 }), 'its database is slower than usual: a message takes 6.1 times as long', 'without a capacity');
  equal(slower({ perSecond: 20, times: null }), 'its database is slower than usual: 20/s at most', 'with a capacity only');
}
