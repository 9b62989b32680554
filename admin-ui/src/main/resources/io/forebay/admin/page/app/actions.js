/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The commands to a service, their dialogs, and the field for the end of a command: after a duration, at a time, or none. */
import { useState } from 'preact/hooks';
import { pauseEffect, resumeEffect } from './alerts.js';
import { post, service as of } from './api.js';
import { ahead, counted, duration, rate, since } from './format.js';
import { ActDialog, invalid, openDialog } from './parts/dialog.js';
import { html } from './parts/elements.js';
import { frame, serviceSignal } from './store.js';

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

/** "20/s until 03:31 UTC, by anna: runaway import". @param {{perSecond: number, reason: string, by: string, until: string}} limit of a caller, by command */
export const limitText = (limit) => `${rate(limit.perSecond)} until ${ahead(limit.until, present())} UTC, by ${limit.by}: ${limit.reason}`;

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
      <select id="until" value=${choice} onChange=${(event) => choose(event.target.value)}>${[...ENDS, ...(never ? [['', never]] : [])].map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select>
      ${choice === AT && html`<input type="time" aria-label="Time, UTC" value=${time} onInput=${(event) => setTime(event.target.value)} ...${marks('until')} />`}
    </div>`;
}

const MILLIS = { m: 60_000, h: 3_600_000 };

/** The moment of an end, which may be a duration from now. */
const instant = (end, now) => (end && MILLIS[end.at(-1)] ? new Date(now + parseInt(end, 10) * MILLIS[end.at(-1)]).toISOString() : end);

function known(until) {
  try {
    return until.end();
  } catch {
    return null;
  }
}

/** What to ask if somebody has paused the service meanwhile. */
export function anotherPause({ status, document }, now = present()) {
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

function PauseDialog({ name }) {
  const until = useUntil('1h');
  const end = known(until);
  return html`<${ActDialog} title=${`Pause ${name}?`} verb=${`Pause ${name}`} danger=${true} linesOf=${end ?? ''} done=${`${name} is being paused.`}
    lines=${async () => pauseEffect(serviceSignal(name).value, instant(end, present()), present())}
    act=${(reason, replaces) => post(of(name, '/pause'), { reason, replaces, until: until.end() ?? 'never' })} confirm=${anotherPause}>
    ${(marks) => html`<${Until} until=${until} never="until somebody resumes it" marks=${marks} />`}
  <//>`;
}

const askPause = (name) => openDialog(PauseDialog, { name });

export function askResume(name) {
  openDialog(ActDialog, {
    title: `Resume ${name}?`,
    verb: `Resume ${name}`,
    reason: 'optional',
    lines: async () => resumeEffect(serviceSignal(name).value, present()),
    done: `${name} is being resumed.`,
    act: (reason) => post(of(name, '/resume'), reason ? { reason } : {}),
  });
}

export function askDrain(name) {
  openDialog(ActDialog, {
    title: `Drain ${name}?`,
    verb: `Drain ${name}`,
    danger: true,
    role: 'admin',
    typed: name,
    lines: async () => ['The service accepts nothing new and performs all waiting messages. Then it stops until it is resumed.'],
    done: `${name} is being drained.`,
    act: (reason) => post(of(name, '/drain'), { reason }),
  });
}

const partition = (name, number, command) => of(name, `/partitions/${number}/${command}`);

/** @param {{partition: number, message: {position: number, since: string, attempts: number, reason: string}}} waits */
export function askFailMessage(name, { partition: number, message }) {
  const { position, since: first, attempts, reason: why } = message;
  openDialog(ActDialog, {
    title: `Fail message ${position} of ${name}?`,
    verb: 'Fail this message',
    danger: true,
    lines: async () => [
      `Partition ${number} has waited for it since ${since(first)} UTC (${counted(attempts, 'attempt')}): ${why}.`,
      'A statement then takes no effect; what a component of your own has done stays done. The sender gets a failed result with your reason.',
      'Later messages are performed, even those that depend on its effect.',
      'The message stays listed under Failed, and you can send it again from there.',
    ],
    done: `Message ${position} of ${name} will be failed within seconds.`,
    act: (reason) => post(partition(name, number, 'fail-message'), { position, reason }),
  });
}

const WITHOUT = {
  in: 'Unreadable statements were accepted and are never performed; inform their senders.',
  out: 'The statements were performed; only unreadable answers are lost.',
};

/** @param {{partition: number, queue: 'in'|'out', damage: {position: number, what: string}}} damaged */
export function askSetAside(name, { partition: number, queue, damage }) {
  openDialog(ActDialog, {
    title: `Set aside damaged messages of ${name}?`,
    verb: 'Set aside at the next start',
    danger: true,
    role: 'admin',
    typed: name,
    lines: async () => [
      `The ${queue}-queue of partition ${number} is damaged at message ${damage.position}: ${damage.what}.`,
      'If you have a copy of its files made after the last write, cancel and restore the copy instead.',
      'Nothing changes until the next start of Forebay. That start keeps every readable message and skips the others.',
      WITHOUT[queue],
      'The damaged files are moved to a separate directory.',
    ],
    done: (answer) => `${missing(answer.damaged)} Restart Forebay to set the damage aside.`,
    act: (reason) => post(partition(name, number, 'set-aside'), { reason }),
  });
}

function missing(damaged) {
  const gaps = damaged.flatMap((one) => one.missing.map(({ from, to }) => `${one.queue} ${from === to ? from : `${from} to ${to}`}`));
  return gaps.length ? `These messages will be missing: ${gaps.join(', ')}.` : 'All messages can be read.';
}

/** Whether the service can be resumed; otherwise it can be paused. */
export const isPaused = (service) => Boolean(service.paused) || service.state === 'paused' || service.state === 'drained';

export const askPauseOrResume = (service) => (isPaused(service) ? askResume : askPause)(service.name);

