/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { figures, next } from '/app/sentences.js';
import { equal } from './expect.js';

const fine = { state: 'keeping_up', severity: 'fine', limit: 300 };

export function saysNothingOfAServiceThatKeepsUp() {
  equal(next(fine), '', 'next');
}

export function namesTheTimeUntilTheLimitIsPassed() {
  equal(next({ ...fine, late: { v: { in: 720 } } }), 'passes its 5 m limit in 12 m', 'measured');
  equal(next({ ...fine, late: { v: { in: 720 }, why: 'trend' } }), 'passes its 5 m limit in ≈ 12 m', 'estimated');
}

export function noForecastIsMoreAccurateThanASecond() {
  equal(next({ ...fine, state: 'draining', clear: { v: { in: 0.998 }, why: 'trend' } }), 'catches up in ≈ 1 s', 'next');
}

export function saysWhenABacklogPastItsLimitIsClear() {
  const late = { ...fine, state: 'growing', severity: 'bad', late: { v: { passed: true } } };
  equal(next(late), 'past its 5 m limit', 'no end known');
  equal(next({ ...late, clear: { v: { in: 60 } } }), 'past its 5 m limit; catches up in 1 m', 'with an end');
  const both = next({ ...fine, state: 'draining', severity: 'watch', clear: { v: { in: 39 } }, late: { v: { in: 35 } } });
  equal(both, 'catches up in 39 s, but passes its 5 m limit in 35 s', 'one forecast');
  const grows = next({ ...fine, state: 'growing', severity: 'watch', behind: { v: 14 }, late: { v: { never: 'not yet' } } });
  equal(grows, 'passes its 5 m limit in 4 m 46 s at the earliest', 'needs no rate');
  equal(next({ ...fine, state: 'growing', behind: { v: 14 }, late: { v: { never: 'not yet' } }, accepted: { v: 90 }, performed: { v: 98 } }), 'when it catches up is not known yet', 'the end of a burst');
  equal(next({ ...fine, clear: { v: { in: 0.003 } } }), '', 'keeps up, whatever is in flight');
  equal(next({ ...fine, state: 'steady', behind: { v: 40 }, clear: { why: 'no rates yet' } }), 'when it catches up is not known yet', 'after a restart');
  equal(next({ ...fine, state: 'draining', behind: { v: 40 }, clear: { why: 'no rates yet' } }), 'when it catches up is not known yet', 'no dash');
  const turns = { ...fine, state: 'steady', behind: { v: 23 }, clear: { v: { never: 'not at this rate' } } };
  equal(next({ ...turns, accepted: { v: 61 }, performed: { v: 79 } }), 'when it catches up is not known yet', 'the rates tell the end first');
  equal(next({ ...turns, accepted: { v: 79 }, performed: { v: 79 } }), 'does not catch up at this rate', 'equal rates');
}

export function onlyAServiceThatIsBehindCatchesUp() {
  for (const state of ['refusing', 'starting', 'drained', 'unknown']) equal(next({ ...fine, state, behind: { v: 0 }, clear: { v: { passed: true } } }), '', state);
  equal(next({ ...fine, state: 'draining', behind: { v: 0 }, clear: { v: { passed: true } } }), '', 'a stop without messages');
}

export function aFailedServiceNeedsAttention() {
  equal(next({ ...fine, state: 'failed', reason: 'disk full' }), 'needs attention', 'failed');
}

export function aServiceThatWaitsForItsDatabaseIsNeverUnknown() {
  const waiting = { ...fine, state: 'waiting', severity: 'watch' };
  equal(next({ ...waiting, late: { v: { never: 'nothing waits' } } }), 'resumes automatically', 'nothing waits');
  equal(next({ ...waiting, late: { v: { in: 41 } } }), 'passes its 5 m limit in 41 s', 'before its limit');
  equal(next({ ...waiting, late: { v: { passed: true } }, clear: { v: { never: 'nothing is performed' } } }), 'past its 5 m limit', 'after it');
}

export function aServiceWhoseResultsHaveNoRoomStandsStill() {
  const full = { ...fine, state: 'refusing', severity: 'bad', standsStill: true, reason: 'the disk is full', clear: { v: { never: 'nothing is performed at present' } } };
  equal(next({ ...full, late: { v: { in: 41 } } }), 'stands still until space is freed', 'before its limit');
  equal(next({ ...full, late: { v: { passed: true } } }), 'past its 5 m limit; stands still until space is freed', 'after it');
  equal(next({ ...full, clear: { v: { in: 13 } } }), 'stands still until space is freed', 'whatever the rates were');
}

export function aPausedServiceWaits() {
  equal(next({ ...fine, state: 'paused' }), 'paused until resumed', 'no limit near');
  equal(next({ ...fine, paused: {}, late: { v: { passed: true } } }), 'paused; past its 5 m limit', 'late');
  equal(next({ ...fine, paused: {}, late: { v: { in: 60 } } }), 'paused; passes its 5 m limit in 1 m', 'before its limit');
}

export function aPauseWithAnEndResumesThen() {
  const now = Date.parse('2026-11-20T02:31:00Z');
  const paused = { until: '2026-11-20T08:00:00Z' };
  equal(next({ ...fine, paused }, now), 'paused until 08:00', 'nothing waits');
  equal(next({ ...fine, paused, late: { v: { in: 60 } } }, now), 'paused until 08:00; passes its 5 m limit in 1 m', 'late before the end');
  equal(next({ ...fine, paused, late: { v: { in: 6 * 3600 } } }, now), 'paused until 08:00', 'late after it');
  equal(next({ ...fine, paused: { until: '2026-11-22T08:00:00Z' } }, now), 'paused until 22 Nov 08:00', 'another day');
}

export function theLineOfFiguresHasTheLimitAndTheRates() {
  equal(figures({ ...fine, unperformed: { v: 1 } }), ['1 message waits', 'limit 5 m', 'accepts –/s, performs –/s'], 'one');
  equal(figures({ ...fine, unperformed: { v: 2 }, accepted: { v: 20 }, performed: { v: 8 } }), ['2 messages wait', 'limit 5 m', 'accepts 20/s, performs 8/s'], 'two');
}
