/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import * as format from '/app/format.js';
import { equal } from './expect.js';

export async function agreesWithTheVectorsThatJavaIsTestedWith() {
  const vectors = await (await fetch('/app/format-vectors.json')).json();
  for (const [name, pairs] of Object.entries(vectors)) {
    for (const [value, text] of pairs) equal(format[name](value), text, `${name} of ${value}`);
  }
}

export function showsADashForWhatIsUnknown() {
  for (const name of ['number', 'duration', 'rate', 'count', 'brief', 'bytes', 'share', 'perDay']) {
    for (const unknown of [undefined, null, NaN, Infinity, 'text']) equal(format[name](unknown), format.UNKNOWN, `${name} of ${unknown}`);
  }
  equal(format.figure({ why: 'not sampled yet' }), format.UNKNOWN, 'a figure without a value');
}

export function marksEstimates() {
  equal(format.figure({ v: 12 }), '12', 'measured');
  equal(format.figure({ v: 12, why: 'from how busy the workers are' }), '≈ 12', 'estimated');
}

export function shortensCountsInNarrowCells() {
  for (const [value, text] of [[9999, '9,999'], [10_000, '10 k'], [503_201, '503 k'], [999_600, '1 M'], [1_234_567, '1.2 M'], [12_345_678, '12 M']]) {
    equal(format.brief(value), text, value);
  }
}

export function addsTheNoun() {
  equal(format.counted(1, 'message'), '1 message', 'one');
  equal(format.counted(2000, 'message'), '2,000 messages', 'many');
}

export function writesTheDayOfInstantsOlderThanADay() {
  const now = Date.parse('2026-11-20T12:00:00Z');
  equal(format.since('2026-11-20T02:31:07Z', now), '02:31:07', 'today');
  equal(format.since('2026-11-09T02:31:07Z', now), '9 Nov 02:31', 'before');
}
