/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The question before a pause: its effect, its end and its reason. */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { api, path, post, service as of } from '../api.js';
import { ahead, duration } from '../format.js';
import { frame } from '../store.js';
import { ActDialog } from './dialog.js';

const AT = 'at';
const ENDS = [
  ['', 'until somebody resumes it'],
  ['15m', 'for 15 minutes'],
  ['1h', 'for 1 hour'],
  ['4h', 'for 4 hours'],
  ['8h', 'for 8 hours'],
  [AT, 'until a time (UTC)'],
];

/** The time of the server. */
const present = () => (frame.peek() ? Date.parse(frame.peek().at) : Date.now());

/**
 * The `until` of a pause: a duration, or the next time at which the clock shows `time` in UTC.
 * @param {string} choice one of the above @param {string} time such as 08:00 @returns {string|null} null for no end
 */
export function endOf(choice, time, now) {
  if (choice !== AT) return choice || null;
  if (!/^([01]\d|2[0-3]):[0-5]\d/.test(time)) throw new Error('Enter a time, such as 08:00.');
  const today = Date.parse(new Date(now).toISOString().slice(0, 11) + time.slice(0, 5) + ':00Z');
  return new Date(today > now ? today : today + 86_400_000).toISOString();
}

function known(choice, time, now) {
  try {
    return endOf(choice, time, now);
  } catch {
    return null;
  }
}

/** What to ask if somebody has paused the service meanwhile. */
export function anotherPause({ status, document }, now = Date.now()) {
  const pause = status === 409 && document.paused;
  if (!pause) return null;
  const ago = duration(Math.max(1, Math.round((now - Date.parse(pause.at)) / 1000)));
  const end = pause.until ? ` until ${ahead(pause.until, now)} UTC` : '';
  return {
    text: `Paused ${ago} ago by ${pause.by}${end}${pause.reason ? `: “${pause.reason}”` : ''}. Replace this pause and its reason with yours?`,
    verb: 'Replace the pause',
    seen: pause.at,
  };
}

export function PauseDialog({ name }) {
  const [choice, setChoice] = useState('');
  const [time, setTime] = useState('');
  const until = known(choice, time, present());
  return html`<${ActDialog} title=${`Pause ${name}?`} verb=${`Pause ${name}`} danger=${true} linesOf=${until ?? ''} done=${`${name} is being paused.`}
    lines=${() => api(path(of(name, '/effect'), { action: 'pause', until })).then((answer) => answer.lines)}
    act=${(reason, replaces) => post(of(name, '/pause'), { reason, replaces, until: endOf(choice, time, present()) })} confirm=${anotherPause}>
    <label for="until">How long</label>
    <div class="until">
      <select id="until" value=${choice} onChange=${(event) => setChoice(event.target.value)}>${ENDS.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select>
      ${choice === AT && html`<input type="time" aria-label="Time, UTC" value=${time} onInput=${(event) => setTime(event.target.value)} />`}
    </div>
  <//>`;
}
