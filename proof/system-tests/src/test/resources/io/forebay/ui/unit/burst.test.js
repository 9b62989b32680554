/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { caughtUpWords, courseSentence, diskWords, lateWords } from '/app/screens/service-burst.js';
import { equal } from './expect.js';

const now = Date.parse('2026-11-20T07:00:00Z');
const plan = {
  begin: '2026-11-20T08:00:00Z',
  length: 300,
  late: { v: { in: 107 } },
  onTime: { v: { in: 1173 } },
  longestWait: { v: 841 },
  bytes: { v: 1.5e9 },
  free: { v: 4e10 },
  recovery: { v: { in: 1357 } },
};

export function aBurstThatIsLateSaysFromWhenUntilWhen() {
  equal(lateWords(plan, now), 'from 08:01 (after 1 m 47 s) until 08:19', 'late');
  equal(lateWords({ ...plan, onTime: { v: { never: 'x' } } }, now), 'from 08:01 (after 1 m 47 s), and does not catch up', 'no end');
  equal(lateWords({ ...plan, late: { v: { never: 'the burst ends before' } } }, now), 'no message is late', 'short');
  equal(lateWords({ ...plan, late: { why: 'no backlog' } }, now), '–', 'unknown');
  equal(caughtUpWords(plan, now), '22 m 37 s after the burst, at 08:27', 'caught up');
  equal(caughtUpWords({ ...plan, recovery: { v: { passed: true } } }, now), 'at once', 'nothing waits');
}

export function theDiskOfABurstIsComparedWithWhatIsFree() {
  equal(diskWords(plan), { text: '1.4 GiB of 37 GiB free now' }, 'enough');
  equal(diskWords({ ...plan, free: { v: 1e9 } }), { text: '1.4 GiB, more than the 954 MiB free now', severity: 'bad' }, 'too little');
  equal(diskWords({ ...plan, free: { why: 'not on disk' } }), { text: '1.4 GiB' }, 'not on disk');
}

export function aSentenceSaysWhatABurstDoes() {
  equal(
    courseSentence(plan, 12400, now),
    'A burst of 12,400/s for 5 m from 08:00 UTC: late from 08:01 (after 1 m 47 s) until 08:19; at most 14 m 1 s behind; takes 1.4 GiB of 37 GiB free now. Catches up 22 m 37 s after the burst, at 08:27.',
    'all of it',
  );
  equal(courseSentence({ ...plan, late: { why: 'no backlog' } }, 100, now), 'A burst of 100/s for 5 m from 08:00 UTC: what it does is unknown until a capacity is measured.', 'without a capacity');
}
