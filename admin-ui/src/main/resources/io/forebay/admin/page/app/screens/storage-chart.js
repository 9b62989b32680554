/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The space used, its forecast, and the mark at which accepting stops if it is near. */
import { path } from '../api.js';
import { bytes } from '../format.js';
import { Chart, currentRange } from '../parts/chart.js';
import { html, Loaded, useLoad } from '../parts/elements.js';

const POINTS = 400;
const LABELS = 5;
const LEAST_SPAN = 2 ** 20;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

const unitOf = (value) => Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10)));

/** The distance of labels: a whole number of a binary unit. */
export function stepOf(span) {
  const unit = 1024 ** unitOf(span / LABELS);
  return unit * ([1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find((step) => step >= span / LABELS / unit) ?? 1024);
}

/** A label with as many digits as tell it from the next one. */
export function label(value, step) {
  const unit = unitOf(value);
  const digits = Math.max(0, Math.min(3, Math.ceil(Math.log10(1024 ** unit / step))));
  return `${(value / 1024 ** unit).toFixed(digits)} ${UNITS[unit]}`;
}

/** A longer course would leave the history too little room. */
const MOST_TIMES = 3;

/** The course from now until the disk is full; a quarter as long as the history if it would be more than three times as long. */
export function coming(now, length, step, runway, stopBytes) {
  const left = runway?.v?.begun?.in ?? runway?.v?.middle?.in;
  if (left === undefined || !(stopBytes > now)) return [];
  const all = Math.ceil(left / step);
  const steps = all <= MOST_TIMES * length ? all : Math.ceil(length / 4);
  return Array.from({ length: steps }, (_, i) => Math.min(stopBytes, now + ((stopBytes - now) * (i + 1) * step) / left));
}

/** @param {{runway: any, stopBytes: {v?: number}}} props */
export function StorageChart({ runway, stopBytes: { v: stopBytes = null } }) {
  const range = currentRange('-24h');
  const load = useLoad(path('/storage/series', { from: range.from, points: POINTS }), 60);
  return html`<${Loaded} load=${load} what="the history of the disk">${({ first, step, series: { used } }) => {
    const known = used.filter((value) => value !== null);
    if (known.length === 0) return html`<p class="panel muted">No figures for this time.</p>`;
    const begin = Date.parse(first) / 1000;
    const ahead = coming(known.at(-1), used.length, step, runway, stopBytes);
    const [low, high] = [Math.min(...known, ...ahead), Math.max(...known, ...ahead)];
    const span = Math.max(high - low, LEAST_SPAN);
    const isNear = stopBytes !== null && stopBytes < high + span;
    const [bottom, top] = [Math.max(0, low - span / 10), (isNear ? Math.max(high, stopBytes) : high) + span / 10];
    const distance = stepOf(top - bottom);
    const splits = Array.from({ length: Math.floor(top / distance) - Math.ceil(bottom / distance) + 1 }, (_, i) => (Math.ceil(bottom / distance) + i) * distance);
    const later = ahead.map(() => null);
    return html`<${Chart} key=${`${bottom} ${top}`} title="Used" height=${260} x=${{ values: [...used, ...ahead].map((_, i) => begin + i * step) }}
      y=${{ format: (value) => label(value, distance), value: bytes, splits: () => splits, range: () => [bottom, top] }}
      sentence=${`Used now ${bytes(known.at(-1))}; accepting stops at ${stopBytes === null ? 'an unknown size' : bytes(stopBytes)}.`}
      series=${[
        { label: 'used', values: [...used, ...later], color: 'c1', width: 2 },
        { label: 'forecast', values: [...used.slice(0, -1).map(() => null), known.at(-1), ...ahead], color: 'c1', dash: [3, 4], hidden: ahead.length === 0 },
        { label: 'accepting stops', values: [...used, ...ahead].map(() => (isNear ? stopBytes : null)), color: 'c-limit', dash: [5, 4], width: 1.25, hidden: !isNear },
      ]} />`;
  }}<//>`;
}
