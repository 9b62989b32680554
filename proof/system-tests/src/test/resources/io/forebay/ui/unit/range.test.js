/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { currentRange, lonely, recorded } from '/app/parts/chart.js';
import { route } from '/app/router.js';
import { equal } from './expect.js';
import { given } from './page.js';

const HOUR = ['-1h', '1 h', 3600];

export function aRangeIsNoLongerThanWhatWasRecorded() {
  const at = '2026-11-20T07:00:00Z';
  equal(recorded(HOUR, { at, recordedSince: '2026-11-20T06:50:00Z' }), { name: '-1h', from: '2026-11-20T06:50:00Z', seconds: 600 }, 'ten minutes');
  equal(recorded(HOUR, { at, recordedSince: '2026-11-01T06:50:00Z' }), { name: '-1h', from: '-1h', seconds: 3600 }, 'an hour');
  equal(recorded(HOUR, { at, recordedSince: null }).from, '-1h', 'no sample');
  equal(recorded(HOUR, null).from, '-1h', 'no frame');
}

export function theAddressSaysWhichOfTheTwoRangesIsShown() {
  given({});
  const shown = (from, fallback) => {
    route.value = { path: '/storage', parts: ['storage'], query: { from } };
    return currentRange(fallback).name;
  };
  equal(shown('-24h'), '-24h', 'a day');
  equal(shown(undefined, '-24h'), '-24h', 'the usual one of the screen');
  equal(shown('-7d'), '-1h', 'one that does not exist');
}

export function aValueWithoutANeighbourIsAPoint() {
  equal(lonely([null, 1, null, 2, 3, undefined, 4]), [1, 6], 'points');
  equal(lonely([0]), [0], 'the first');
}
