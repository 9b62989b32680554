/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The time range of a screen's charts, in the address: ?from=-1h or ?from=…&to=… */
import { html } from './html.js';
import { moment } from '../format.js';
import { href, route, view } from '../router.js';

const RANGES = [
  ['-15m', '15 m', 900],
  ['-1h', '1 h', 3600],
  ['-6h', '6 h', 6 * 3600],
  ['-24h', '24 h', 24 * 3600],
  ['-7d', '7 d', 7 * 24 * 3600],
];

/** @returns {{from: string, to: string, seconds: number, live: boolean}} the range in the address; one hour by default */
export function currentRange(fallback = '-1h') {
  const { from = fallback, to = 'now' } = route.value.query;
  const relative = RANGES.find(([value]) => value === from);
  if (relative) return { from, to, seconds: relative[2], live: to === 'now' };
  const end = to === 'now' ? Date.now() : Date.parse(to);
  const seconds = (end - Date.parse(from)) / 1000;
  if (!(seconds > 0)) return { from: fallback, to: 'now', seconds: 3600, live: true };
  return { from, to, seconds, live: to === 'now' };
}

function set(start, end) {
  view({ from: new Date(start).toISOString(), to: end >= Date.now() - 1000 ? 'now' : new Date(end).toISOString() });
}

function bounds() {
  const { to, seconds } = currentRange();
  const end = to === 'now' ? Date.now() : Date.parse(to);
  return [end - seconds * 1000, end];
}

const hasRange = () => document.querySelector('main .range') !== null;

/** Half a range earlier or later. */
export function shiftRange(direction) {
  if (!hasRange()) return;
  const [start, end] = bounds();
  const by = (direction * (end - start)) / 2;
  if (end + by >= Date.now()) view({ from: RANGES.find(([, , length]) => length * 1000 >= end - start - 1)?.[0] ?? '-7d', to: '' });
  else set(start + by, end + by);
}

export function zoomRange(factor) {
  if (!hasRange()) return;
  const [start, end] = bounds();
  const length = (end - start) * factor;
  const at = RANGES.findIndex(([value]) => value === currentRange().from);
  if (at >= 0) view({ from: RANGES[Math.max(0, Math.min(RANGES.length - 1, at + (factor > 1 ? 1 : -1)))][0] });
  else set(end - length, end);
}

export function Range({ fallback = '-1h' }) {
  const { from, to, live } = currentRange(fallback);
  const { path, query } = route.value;
  return html`<nav class="range" aria-label="Time range">
    ${RANGES.map(
      ([value, name]) => html`<a key=${value} href=${href(path, { ...query, from: value, to: '' })}
        aria-current=${from === value ? 'true' : undefined}>${name}</a>`,
    )}
    ${!live && html`<span class="muted">${moment(from)} – ${moment(to)} UTC</span>`}
  </nav>`;
}
