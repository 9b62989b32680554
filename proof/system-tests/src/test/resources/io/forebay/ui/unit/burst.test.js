/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { caughtUpWords, diskWords, lateWords } from '/app/screens/service-burst.js';
import { equal } from './expect.js';

const plan = {
  begin: '2026-11-20T08:00:00Z',
  length: 300,
  late: { v: { in: 107 } },
  onTime: { v: { in: 1173 } },
  longestWait: { v: 841 },
  bytes: { v: 1.5e9 },
  free: 4e10,
  recovery: { v: { in: 1357 } },
};

export function aBurstThatIsLateSaysFromWhenUntilWhen() {
  equal(lateWords(plan), 'from 08:01 (after 1 m 47 s) until 08:19', 'late');
  equal(lateWords({ ...plan, onTime: { v: { never: 'x' } } }), 'from 08:01 (after 1 m 47 s), and does not catch up', 'no end');
  equal(lateWords({ ...plan, late: { v: { never: 'the burst ends before' } } }), 'no message is late', 'short');
  equal(lateWords({ ...plan, late: { why: 'no backlog' } }), '–', 'unknown');
  equal(caughtUpWords(plan), '22 m 37 s after the burst, at 08:27', 'caught up');
  equal(caughtUpWords({ ...plan, recovery: { v: { passed: true } } }), 'at once', 'nothing waits');
  const bound = { ...plan, isBound: true };
  equal(lateWords(bound), '08:01 (after 1 m 47 s) at the earliest', 'the database may do more');
  equal(caughtUpWords(bound), '22 m 37 s after the burst at the latest', 'the database may do more');
  equal(caughtUpWords({ ...bound, recovery: { v: { never: 'x' } } }), 'not known: the capacity was not measured', 'or not');
}

export function theDiskOfABurstIsComparedWithWhatIsFree() {
  equal(diskWords(plan), { text: '1.4 GiB of 37 GiB free now' }, 'enough');
  equal(diskWords({ ...plan, free: 1e9 }), { text: '1.4 GiB, more than the 954 MiB free now', severity: 'bad' }, 'too little');
  equal(diskWords({ ...plan, free: NaN }), { text: '1.4 GiB' }, 'not on disk');
}
