/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The space used, and the mark at which accepting stops. */
import { html } from '../parts/html.js';
import { path } from '../api.js';
import { bytes } from '../format.js';
import { Chart } from '../parts/chart.js';
import { Loaded, useLoad } from '../parts/load.js';
import { currentRange } from '../parts/range.js';

const POINTS = 400;
const LABELS = 5;

/** Labels at whole numbers of a binary unit. */
function byteSplits(plot, axis, low, high) {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(high / LABELS) / Math.log(1024)));
  const raw = high / LABELS / unit;
  const nice = [1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find((step) => step >= raw) ?? 1024;
  return Array.from({ length: Math.floor(high / (nice * unit)) + 1 }, (_, i) => i * nice * unit);
}

export function StorageChart() {
  const range = currentRange('-24h');
  const load = useLoad(path('/storage/series', { from: range.from, points: POINTS }), 60);
  return html`<${Loaded} load=${load} what="the history of the disk">${({ first, step, series, stopBytes }) => {
    const known = series.used.filter((value) => value !== null);
    if (known.length === 0) return html`<p class="panel muted">No figures for this time.</p>`;
    const begin = Date.parse(first) / 1000;
    return html`<${Chart} title="Used" height=${260} x=${{ values: series.used.map((_, i) => begin + i * step) }} y=${{ format: bytes, splits: byteSplits }}
      sentence=${`Used now ${bytes(known.at(-1))}.`}
      series=${[
        { label: 'used', values: series.used, color: 'c1', width: 2 },
        { label: 'accepting stops', values: series.used.map(() => stopBytes ?? null), color: 'c-limit', dash: [5, 4], width: 1.25 },
      ]} />`;
  }}<//>`;
}
