/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The field for the end of a command: after a duration, at a time, or none. */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { frame } from '../store.js';
import { invalid } from './dialog.js';

const AT = 'at';
const ENDS = [
  ['15m', 'for 15 minutes'],
  ['1h', 'for 1 hour'],
  ['4h', 'for 4 hours'],
  ['8h', 'for 8 hours'],
  [AT, 'until a time (UTC)'],
];

/** The time of the server. */
export const present = () => (frame.peek() ? Date.parse(frame.peek().at) : Date.now());

/**
 * The `until` of a command: a duration, or the next time at which the clock shows `time` in UTC.
 * @param {string} choice one of the above @param {string} time such as 08:00 @returns {string|null} null for no end
 */
export function endOf(choice, time, now) {
  if (choice !== AT) return choice || null;
  if (!/^([01]\d|2[0-3]):[0-5]\d/.test(time)) throw invalid('until', 'Enter a time, such as 08:00.');
  const today = Date.parse(new Date(now).toISOString().slice(0, 11) + time.slice(0, 5) + ':00Z');
  return new Date(today > now ? today : today + 86_400_000).toISOString();
}

/** The state of the field. `end()` throws if no time was entered. @param {string} [first] the choice at first; none: no end */
export function useUntil(first = '') {
  const [choice, choose] = useState(first);
  const [time, setTime] = useState('');
  return { choice, choose, time, setTime, end: () => endOf(choice, time, present()) };
}

/** @param {{until: object, never: string, marks: (id: string) => object}} props `never` is the choice of no end, in words; without it there must be one; `marks` is that of an ActDialog */
export function Until({ until, never, marks }) {
  const { choice, choose, time, setTime } = until;
  return html`<label for="until">How long</label>
    <div class="until">
      <select id="until" value=${choice} onChange=${(event) => choose(event.target.value)}>${[...(never ? [['', never]] : []), ...ENDS].map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select>
      ${choice === AT && html`<input type="time" aria-label="Time, UTC" value=${time} onInput=${(event) => setTime(event.target.value)} ...${marks('until')} />`}
    </div>`;
}
