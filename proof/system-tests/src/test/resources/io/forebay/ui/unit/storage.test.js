/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { VolumePanel } from '/app/screens/storage.js';
import { equal } from './expect.js';
import { draw, texts } from './page.js';

const MIB = 2 ** 20;
const UNKNOWN = { why: 'not sampled yet' };
const full = {
  volume: '/data', path: '/data', sizeBytes: { v: 600 * MIB }, usedBytes: { v: 403 * MIB }, stopBytes: { v: 400 * MIB }, toFreeBytes: { v: 23 * MIB },
  runway: { v: { middle: { passed: true } } }, growth: {}, othersShare: UNKNOWN, retention: null, held: [], next: null, enough: null,
};
const last = (volume) => texts(draw(html`<${VolumePanel} volume=${volume} />`), 'p').at(-1);

export function aFullDiskSaysWhatIsLeftAndHowMuchToFree() {
  const place = draw(html`<${VolumePanel} volume=${full} />`);
  equal(texts(place, '.runway'), ['Full messages are refused: 197 MiB are left as reserve; at least 23 MiB must be freed'], 'as the tile says');
  equal(last(full).startsWith('No file is due for deletion.'), true, 'nothing is deleted');
}

export function aNextFileThatDoesNotFreeEnoughIsSaid() {
  const next = { in: { in: 2520 }, bytes: 2 * MIB };
  equal(last({ ...full, next }).startsWith('The next file (2 MiB) is deleted in 42 m. The files that are due do not free enough. '), true, 'not enough');
  equal(last({ ...full, next, enough: { in: { in: 10_800 }, bytes: 24 * MIB } }).startsWith('The next file (2 MiB) is deleted in 42 m. Enough files (24 MiB) are deleted in 3 h. '), true, 'later');
  equal(last({ ...full, next: { ...next, bytes: 23 * MIB } }).startsWith('The next file (23 MiB) is deleted in 42 m. Nothing is'), true, 'enough');
  equal(last({ ...full, next, usedBytes: { v: 10 * MIB }, toFreeBytes: { v: 0 } }).startsWith('The next file (2 MiB) is deleted in 42 m. Nothing is'), true, 'not full');
}

export function aForecastHasARange() {
  const runway = { v: { middle: { in: 7200 }, low: { in: 3600 }, high: { in: 14_400 } } };
  const words = (of) => texts(draw(html`<${VolumePanel} volume=${{ ...full, usedBytes: { v: 10 * MIB }, runway: of }} />`), '.runway');
  equal(words(runway), ['Full in 2 h likely 1 h – 4 h'], 'a range');
}

export function growthOfOthersHasItsPresentRateAndACommandThatFindsIt() {
  const growth = { othersTbPerDay: { v: 0.057 } };
  const panel = (more) => draw(html`<${VolumePanel} volume=${{ ...full, growth, othersPerSecond: { v: 12 * MIB }, ...more }} />`);
  const others = (more) => texts(panel(more), 'dd')[2];
  equal(others({ othersShare: { v: 0.97 } }), '12 MiB/s now, on average 53 GiB/day', 'mostly others');
  equal(others({ othersShare: { v: 0.1 } }), '53 GiB/day', 'mostly queues');
  equal(texts(panel({ othersShare: { v: 0.97 } }), 'code'), ['du -axm /data | sort -n | tail -20'], 'a command');
  equal(texts(panel({ othersShare: { v: 0.97 }, volume: '/a b' }), 'code'), [], 'a name with a space');
}
