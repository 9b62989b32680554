/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { sinceStart } from '/app/parts/range.js';
import { equal } from './expect.js';

export function theRangeSinceTheStartIsWhatWasRecorded() {
  const at = '2026-11-20T07:00:00Z';
  equal(sinceStart({ at, recordedSince: '2026-11-20T06:50:00Z' }), { name: 'start', from: '2026-11-20T06:50:00Z', to: 'now', seconds: 600, live: true }, 'ten minutes');
  equal(sinceStart({ at, recordedSince: '2026-11-01T06:50:00Z' }).from, '-7d', 'no more than is kept');
  equal(sinceStart({ at, recordedSince: null }), null, 'no sample');
}
