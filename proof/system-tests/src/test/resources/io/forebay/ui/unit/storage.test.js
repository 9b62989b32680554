/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/elements.js';
import { VolumePanel } from '/app/screens/storage.js';
import { coming, label, stepOf } from '/app/screens/storage-chart.js';
import { equal } from './expect.js';
import { draw, texts } from './page.js';

const MIB = 2 ** 20;
const UNKNOWN = { why: 'not sampled yet' };
const full = {
  volume: '/data', path: '/data', sizeBytes: { v: 600 * MIB }, usedBytes: { v: 403 * MIB }, stopBytes: { v: 400 * MIB }, toFreeBytes: { v: 23 * MIB },
  runway: { v: { middle: { passed: true } } }, growth: {}, othersShare: UNKNOWN, roll: 3600, held: {}, next: null, enough: null,
};
const last = (volume) => texts(draw(html`<${VolumePanel} volume=${volume} />`), 'p').at(-1);

export function aFullDiskSaysWhatIsLeftAndHowMuchToFree() {
  const place = draw(html`<${VolumePanel} volume=${full} />`);
  equal(texts(place, '.runway'), ['Full messages are refused: 197 MiB are left as reserve; at least 23 MiB must be freed'], 'as the tile says');
  equal(last(full).startsWith('No file is due for deletion.'), true, 'nothing is deleted');
}

export function aNextFileThatDoesNotFreeEnoughIsSaid() {
  const next = { until: { in: 2520 }, bytes: 2 * MIB };
  equal(last({ ...full, next }).startsWith('The next file (2 MiB) is deleted in 42 m; the files that are due do not free enough. A new file'), true, 'not enough');
  equal(last({ ...full, next, enough: { until: { in: 10_800 }, bytes: 24 * MIB } }).startsWith('The next file (2 MiB) is deleted in 42 m; enough files (24 MiB) are deleted in 3 h. A new file'), true, 'later');
  equal(last({ ...full, next: { ...next, bytes: 23 * MIB } }).startsWith('The next file (23 MiB) is deleted in 42 m. A new file'), true, 'enough');
  equal(last({ ...full, next, usedBytes: { v: 10 * MIB }, toFreeBytes: { v: 0 } }).startsWith('The next file (2 MiB) is deleted in 42 m. A new file'), true, 'not full');
}

export function aForecastHasARange() {
  const runway = { v: { middle: { in: 7200 }, low: { in: 3600 }, high: { in: 14_400 } } };
  const words = (of) => texts(draw(html`<${VolumePanel} volume=${{ ...full, usedBytes: { v: 10 * MIB }, runway: of }} />`), '.runway');
  equal(words(runway), ['likely 2 h at least 1 h'], 'a range');
  const short = { v: { middle: { never: 'not within 3 h' }, low: { in: 10_800 }, high: { never: 'not within 3 h' } }, why: 'from the growth of the last 9 m' };
  equal(words(short), ['at least 3 h a longer forecast needs more history'], 'a short history');
  const never = { never: 'not within 30 d' };
  equal(words({ v: { middle: never, low: never, high: never }, why: 'from the growth of the last 2 d' }), ['more than 30 d from the growth of the last 2 d'], 'never');
}

export function growthOfOthersHasItsPresentRateAndACommandThatFindsIt() {
  const growth = { others: { v: 0.057e12 / 86_400 } };
  const panel = (more) => draw(html`<${VolumePanel} volume=${{ ...full, growth, othersPerSecond: { v: 12 * MIB }, ...more }} />`);
  const others = (more) => texts(panel(more), 'dd')[3];
  equal(others({ othersShare: { v: 0.97 } }), '12 MiB/s now, on average 53 GiB/day', 'mostly others');
  equal(others({ othersShare: { v: 0.1 } }), '53 GiB/day', 'mostly queues');
  equal(texts(panel({ othersShare: { v: 0.97 } }), 'code'), ['du -axm /data | sort -n | tail -20'], 'a command');
  equal(texts(panel({ othersShare: { v: 0.97 }, volume: '/a b' }), 'code'), [], 'a name with a space');
}

export function theAxisTellsGrowthApartOnALargeDisk() {
  const step = stepOf(300 * MIB);
  equal(step, 100 * MIB, 'distance of labels');
  equal(label(40 * 1024 * MIB, step) !== label(40 * 1024 * MIB + step, step), true, 'labels differ');
}

export function theForecastLeadsToTheMarkAtWhichAcceptingStops() {
  const runway = { v: { middle: { in: 30 } } };
  equal(coming(100, 40, 10, runway, 400), [200, 300, 400], 'until it is full');
  equal(coming(100, 1, 10, runway, 400), [200, 300, 400], 'three times the history');
  equal(coming(100, 4, 2, runway, 400), [120], 'a quarter of the history');
  equal(coming(100, 4, 10, { v: { middle: { never: '' }, begun: { in: 25 } } }, 400), [220, 340, 400], 'what others began to write');
  equal(coming(100, 40, 10, { v: { middle: { never: 'not within 3 h' } } }, 400), [], 'none');
}
