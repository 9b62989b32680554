/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Short phrases for cells, built from a service's figures. The server writes the sentences of the verdict. */
import { ahead, count, counted, duration, figure, forecast, number, UNKNOWN } from './format.js';

const limitOf = (service) => duration(service.limit);

/** How many failures are open, such as "12" or "10,000+". */
export const openCount = ({ count: many, capped }) => count(many) + (capped ? '+' : '');

/** The first sentence of a reason, which may quote a driver at length. @param {string} reason */
export function firstSentence(reason) {
  const end = reason.indexOf('. ');
  return end < 0 ? reason : `${reason.slice(0, end)}…`;
}

/** The next event of a service. @returns {{text: string, severity?: string, why?: string}} */
export function next(service, now = Date.now()) {
  const { late, clear, state, severity } = service;
  if (service.paused || state === 'paused') {
    return { text: nextOfPaused(service, now), severity: service.severity === 'fine' ? undefined : service.severity };
  }
  if (state === 'failed') return { text: 'needs attention', severity: 'bad', why: service.reason };
  if (service.standsStill) {
    return { text: `${late?.v?.passed ? `past its ${limitOf(service)} limit; ` : ''}stands still until space is freed`, severity: severity === 'fine' ? 'watch' : severity, why: service.reason || undefined };
  }
  if (late?.v?.passed) {
    const rest = clear?.v?.in !== undefined ? `; catches up in ${forecast(clear.v.in)}` : '';
    return { text: `past its ${limitOf(service)} limit${rest}`, severity: severity === 'fine' ? 'watch' : severity, why: late.why };
  }
  if (late?.v?.in !== undefined && state === 'draining' && clear?.v?.in > 0) {
    return { text: `catches up in ${approx(clear)}${forecast(clear.v.in)}, but passes its ${limitOf(service)} limit in ${approx(late)}${forecast(late.v.in)}`, severity, why: 'Messages arrived faster than they are performed: the oldest wait still rises while fewer messages wait.' };
  }
  if (late?.v?.in !== undefined) return { text: `passes its ${limitOf(service)} limit in ${approx(late)}${forecast(late.v.in)}`, severity: service.severity, why: late.why };
  if (clear?.v?.in > 0 && state !== 'keeping_up') return { text: `catches up in ${approx(clear)}${forecast(clear.v.in)}`, severity: service.severity === 'fine' ? 'fine' : service.severity, why: clear.why };
  if (clear?.v?.never !== undefined && state === 'steady') return { text: 'does not catch up at this rate', severity: 'watch', why: clear.v.never };
  if (state === 'waiting') return { text: 'resumes automatically', severity, why: late?.v?.never ?? late?.why };
  if (state === 'growing' && service.behind?.v < service.limit) return { text: `passes its ${limitOf(service)} limit in ${forecast(service.limit - service.behind.v)} at the earliest`, severity: severity === 'fine' ? 'watch' : severity };
  return { text: state === 'keeping_up' ? '' : UNKNOWN, why: late?.v === undefined ? late?.why : undefined };
}

function nextOfPaused(service, now) {
  const { paused, late } = service;
  if (late?.v?.passed) return `paused; past its ${limitOf(service)} limit`;
  const until = paused?.until;
  const end = until ? ` until ${ahead(until, now)}` : '';
  const isLateBefore = late?.v?.in !== undefined && !(until && now + late.v.in * 1000 >= Date.parse(until));
  return isLateBefore ? `paused${end}; passes its ${limitOf(service)} limit in ${forecast(late.v.in)}` : `paused${end || ' until resumed'}`;
}

/** Who paused a service and why, for how long it is paused by now, which pause that one replaced, and when a message becomes late; null if no operator has paused it. */
export function pause({ paused, late }, now) {
  if (!paused) return null;
  const { at, by, until, reason, first } = paused;
  const began = first ?? { at, by };
  return {
    until,
    reason,
    by,
    began: began.at,
    held: duration(Math.max(0, Math.round((now - Date.parse(began.at)) / 1000))),
    replaced: first ?? null,
    lateAt: late?.v?.in === undefined ? null : new Date(now + late.v.in * 1000),
  };
}

const approx = (fig) => (fig.why === undefined ? '' : '≈ ');

const slower = ({ times, perSecond }) => [times && `a message takes ${number(times)} times as long`, perSecond && `${number(perSecond)}/s at most`].filter(Boolean).join(', ');

/** The full line of figures on a service's own screen, as parts. */
export function lagParts(service) {
  const parts = [
    { text: `${figure(service.unperformed, (value) => counted(value, 'message'))} ${service.unperformed?.v === 1 ? 'waits' : 'wait'}`, why: service.unperformed?.why },
    { text: `limit ${limitOf(service)}` },
  ];
  const coming = next(service);
  if (coming.text && coming.text !== UNKNOWN) parts.push(coming);
  if (service.slowerNow) parts.push({ text: `its database is slower than usual: ${slower(service.slowerNow)}`, severity: 'watch' });
  if (service.behind?.v >= 1 && service.loss?.v?.in !== undefined) parts.push({ text: `oldest message deleted in ${duration(service.loss.v.in)}`, why: 'Retention deletes messages by age, performed or not.' });
  if (service.behind?.v >= 1 && !['paused', 'waiting', 'keeping_up'].includes(service.state) && !service.standsStill && !(service.clear?.v?.in >= 0) && service.clear?.v?.never !== undefined) parts.push({ text: 'does not catch up at this rate', why: service.clear.v.never });
  parts.push({ text: `accepts ${figure(service.accepted, number)}/s, performs ${figure(service.performed, number)}/s` });
  return parts;
}
