/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The time range of a screen's charts, in the address: ?from=-1h or ?from=-24h. */
import { html } from './html.js';
import { href, route } from '../router.js';
import { frame, hasFrame } from '../store.js';

const RANGES = [
  ['-1h', '1 h', 3600],
  ['-24h', '24 h', 24 * 3600],
];

/**
 * What to ask the server for: shorter than the range if the first figures are younger.
 * @param {[string, string, number]} range
 * @param {{at: string, recordedSince?: string}} now the latest frame
 */
export function recorded([name, , seconds], now) {
  const known = now?.recordedSince ? Math.max(1, (Date.parse(now.at) - Date.parse(now.recordedSince)) / 1000) : seconds;
  return known < seconds ? { name, from: now.recordedSince, seconds: known } : { name, from: name, seconds };
}

export function currentRange(fallback = '-1h') {
  hasFrame.value; // the first frame says since when there are figures
  const wanted = route.value.query.from ?? fallback;
  return recorded(RANGES.find(([name]) => name === wanted) ?? RANGES[0], frame.peek());
}

export function Range({ fallback = '-1h' }) {
  const { name: here } = currentRange(fallback);
  const { path, query } = route.value;
  return html`<nav class="range" aria-label="Time range">
    ${RANGES.map(([name, text]) => html`<a key=${name} href=${href(path, { ...query, from: name })} aria-current=${here === name ? 'true' : undefined}>${text}</a>`)}
  </nav>`;
}
