/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The commands that limit a caller of the HTTP door, and lift that limit. */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { post } from '../api.js';
import { ahead, rate, share, since } from '../format.js';
import { ActDialog, ActionButton, invalid, openDialog } from './dialog.js';
import { present, Until, useUntil } from './until.js';

const MOST = 1_000_000;

const end = ({ until }) => `until ${ahead(until, present())} UTC`;

/** "20/s until 03:31 UTC, by anna: runaway import". @param {{perSecond: number, reason: string, by: string, until: string}} limit by command */
export const limitText = (limit) => `${rate(limit.perSecond)} ${end(limit)}, by ${limit.by}: ${limit.reason}`;

const withTime = (limit) => `${rate(limit.perSecond)} ${end(limit)}, set by ${limit.by} at ${since(limit.at, present())} UTC: “${limit.reason}”`;

/** The limit that the caller has, or half of what it sends to this instance. */
export const suggested = ({ limit, perSecond }) => limit?.perSecond ?? Math.min(MOST, Math.max(1, Math.round((perSecond ?? 0) / 2)));

function sends({ name, perSecond, share: part }) {
  if (perSecond === undefined) return `${name} is not among those that sent most to this instance in the last minute.`;
  if (perSecond === 0) return `${name} sent nothing to this instance in the last minute.`;
  return `${name} sent ${rate(perSecond)} to this instance in the last minute, ${share(part)} of all statements.`;
}

/** What a limit does. */
export const limitLines = (sender) => [
  sends(sender),
  'Requests beyond the limit get 429 with Retry-After; the caller can send them again. Streams are read more slowly.',
  'Statements that were accepted are kept and performed.',
  'The limit applies within a second at each instance, and still after a restart. It replaces the configured rate and burst; other configured limits still apply.',
  ...(sender.limit ? [`It replaces this limit: ${withTime(sender.limit)}.`] : []),
];

/** @param {{sender: {name: string, perSecond?: number, share?: number, limit?: object}, again: () => void}} props */
export function LimitDialog({ sender, again }) {
  const { name } = sender;
  const [perSecond, setPerSecond] = useState(String(suggested(sender)));
  const until = useUntil('1h');
  const act = async (reason) => {
    const most = Number(perSecond);
    if (!Number.isInteger(most) || most < 1 || most > MOST) throw invalid('perSecond', 'Enter a whole number of statements per second, from 1 to 1,000,000.');
    return post('/callers/limit', { caller: name, perSecond: most, reason, until: until.end() }).finally(again);
  };
  return html`<${ActDialog} title=${`Limit ${name}?`} verb=${`Limit ${name}`} danger=${true} done=${`${name} is limited to ${rate(Number(perSecond))}.`}
    lines=${async () => limitLines(sender)} act=${act}>
    ${(marks) => html`<label for="perSecond">Statements per second</label>
      <input id="perSecond" type="number" min="1" max=${MOST} autocomplete="off" value=${perSecond} onInput=${(event) => setPerSecond(event.target.value)} ...${marks('perSecond')} />
      <${Until} until=${until} marks=${marks} />`}
  <//>`;
}

function askLift({ name, limit }, again) {
  openDialog(ActDialog, {
    title: `Lift the limit of ${name}?`,
    verb: 'Lift the limit',
    reason: 'optional',
    lines: async () => [`The limit ends: ${withTime(limit)}.`, `The configured limits of ${name} apply again. Without a configured rate, its rate is not limited.`],
    done: `The limit of ${name} is lifted.`,
    act: (reason) => post('/callers/lift', { caller: name, ...(reason ? { reason } : {}) }).finally(again),
  });
}

/** The buttons of a caller. */
export function LimitButtons({ sender, again }) {
  const verb = sender.limit ? 'Change…' : 'Limit…';
  return html`<span class="row-do">
    <${ActionButton} label=${`${verb} ${sender.limit ? 'the limit of ' : ''}${sender.name}`} onClick=${() => openDialog(LimitDialog, { sender, again })}>${verb}<//>
    ${sender.limit && html`<${ActionButton} label=${`Lift… the limit of ${sender.name}`} onClick=${() => askLift(sender, again)}>Lift…<//>`}
  </span>`;
}
