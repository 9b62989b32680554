/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The space used, and the forecast with its band up to the stop mark. */
import { html } from '../parts/html.js';
import { path } from '../api.js';
import { bytes } from '../format.js';
import { Chart } from '../parts/chart.js';
import { Loaded, useLoad } from '../parts/load.js';
import { currentRange } from '../parts/range.js';
import { runwayWords } from '../parts/tiles.js';

const POINTS = 400;
const LABELS = 5;

/** Labels at whole numbers of a binary unit. */
function byteSplits(plot, axis, low, high) {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log(high / LABELS) / Math.log(1024)));
  const raw = high / LABELS / unit;
  const nice = [1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find((step) => step >= raw) ?? 1024;
  return Array.from({ length: Math.floor(high / (nice * unit)) + 1 }, (_, i) => i * nice * unit);
}

/** History and forecast on one axis; each line is null where the other one has values. */
function joined({ first, step, series, stopBytes, forecast }) {
  const start = Date.parse(first) / 1000;
  const past = series.used.map((_, i) => start + i * step);
  const end = past[past.length - 1] ?? start;
  const later = forecast ? Date.parse(forecast.first) / 1000 : 0;
  const from = forecast ? forecast.middle.findIndex((_, i) => later + i * forecast.step > end) : -1;
  const ahead = from < 0 ? [] : forecast.middle.slice(from).map((_, i) => later + (from + i) * forecast.step);
  const before = past.map(() => null);
  const now = series.used.findLast((value) => value !== null);
  const line = (name) => [...before.slice(0, -1), now ?? null, ...(from < 0 ? [] : forecast[name].slice(from))].slice(0, past.length + ahead.length);
  const values = [...past, ...ahead];
  return {
    values,
    used: [...series.used, ...ahead.map(() => null)],
    middle: line('middle'),
    low: line('low'),
    high: line('high'),
    stop: values.map(() => stopBytes ?? null),
  };
}

export function StorageChart({ volume }) {
  const range = currentRange('-24h');
  const load = useLoad(path('/storage/series', { volume: volume.volume, from: range.from, points: POINTS }), 60);
  return html`<${Loaded} load=${load} what="the history of the disk">${(data) => {
    const lines = joined(data);
    const known = [...lines.used, ...lines.high].filter((value) => value !== null && value !== undefined);
    if (known.length === 0) return html`<p class="panel muted">No figures for this time.</p>`;
    const used = lines.used.filter((value) => value !== null && value !== undefined);
    const runway = runwayWords(volume.runway);
    return html`<${Chart} title="Used, and the forecast" height=${260} x=${{ values: lines.values }} y=${{ format: bytes, splits: byteSplits }}
      sentence=${`Used now ${bytes(used.at(-1))}. ${runway.big}, ${runway.small}.`}
      bands=${data.forecast ? [{ series: [4, 3], fill: 'band' }] : []}
      series=${[
        { label: 'used', values: lines.used, color: 'c1', width: 2 },
        ...(data.forecast
          ? [
              { label: 'forecast', values: lines.middle, color: 'c1', dash: [6, 4] },
              { label: 'lower bound', values: lines.low, color: 'c3', width: 1, dash: [2, 3] },
              { label: 'upper bound', values: lines.high, color: 'c3', width: 1, dash: [2, 3] },
            ]
          : []),
        { label: 'accepting stops', values: lines.stop, color: 'c-limit', dash: [5, 4], width: 1.25 },
      ]} />`;
  }}<//>`;
}
