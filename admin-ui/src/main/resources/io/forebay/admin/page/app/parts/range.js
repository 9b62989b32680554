/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The time range of a screen's charts, in the address: ?from=-1h, ?from=start or ?from=…&to=…; with ?at= a range is around that moment. */
import { html } from './html.js';
import { moment } from '../format.js';
import { href, route } from '../router.js';
import { frame, hasFrame } from '../store.js';
import { AtField, now, shownAt } from './at.js';

const RANGES = [
  ['-15m', '15 m', 900],
  ['-1h', '1 h', 3600],
  ['-6h', '6 h', 6 * 3600],
  ['-24h', '24 h', 24 * 3600],
  ['-7d', '7 d', 7 * 24 * 3600],
];

const START = 'start';
const LONGEST = RANGES.at(-1)[2];

/**
 * Since the first figures, at most 7 days; null if they are not known.
 * @param {{at: string, recordedSince?: string}} now
 */
export function sinceStart(now) {
  if (!now?.recordedSince) return null;
  const end = Date.parse(now.at);
  const seconds = Math.max(1, (end - Date.parse(now.recordedSince)) / 1000);
  const from = seconds > LONGEST ? RANGES.at(-1)[0] : now.recordedSince;
  return { name: START, from, to: 'now', seconds: Math.min(seconds, LONGEST), live: true };
}

/** The range of this length with a moment in its middle, or at the latest until now. */
export function around([name, , seconds], time, now) {
  const end = Math.min(now, time + (seconds * 1000) / 2);
  return { name, from: new Date(end - seconds * 1000).toISOString(), to: new Date(end).toISOString(), seconds, live: false };
}

/** Without a choice: the usual range, unless most of it would be empty. */
function chosen(from, fallback, start) {
  if (from) return from;
  const usual = RANGES.find(([value]) => value === fallback);
  return start && usual && start.seconds < usual[2] ? START : fallback;
}

/** @returns {{name: string, from: string, to: string, seconds: number, live: boolean}} the range in the address; by default one hour, or since the start if that is shorter */
export function currentRange(fallback = '-1h') {
  hasFrame.value; // the first frame says since when there are figures
  const { to = 'now' } = route.value.query;
  const time = shownAt()?.time;
  const start = to === 'now' ? sinceStart(frame.peek()) : null;
  const from = chosen(route.value.query.from, fallback, time === undefined ? start : null);
  if (from === START) return start ?? { name: fallback, from: fallback, to: 'now', seconds: 3600, live: true };
  const relative = RANGES.find(([value]) => value === from);
  if (relative && time !== undefined && to === 'now') return around(relative, time, now());
  if (relative) return { name: from, from, to, seconds: relative[2], live: to === 'now' };
  const end = to === 'now' ? Date.now() : Date.parse(to);
  const seconds = (end - Date.parse(from)) / 1000;
  if (!(seconds > 0)) return { name: fallback, from: fallback, to: 'now', seconds: 3600, live: true };
  return { name: from, from, to, seconds, live: to === 'now' };
}

export function Range({ fallback = '-1h' }) {
  const { name: here, from, to, live } = currentRange(fallback);
  const { path, query } = route.value;
  return html`<nav class="range" aria-label="Time range">
    ${[...RANGES, [START, 'Since start']].map(
      ([value, name]) => html`<a key=${value} href=${href(path, { ...query, from: value, to: '' })}
        aria-current=${here === value ? 'true' : undefined}>${name}</a>`,
    )}
    ${!live && html`<span class="muted">${moment(from)} – ${moment(to)} UTC</span>`}
    <${AtField} />
  </nav>`;
}
