/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Short phrases for cells and tiles, built from a service's figures. See alerts.js for the sentences of alerts. */
import { ahead, count, counted, duration, figure, forecast, number } from './format.js';

/** How many failures are open, such as "12" or "10,000+". */
export const openCount = ({ count: many, capped }) => count(many) + (capped ? '+' : '');

const approximately = (fig) => (fig.why === undefined ? '' : '≈ ') + forecast(fig.v.in);

/** The states of a service that is behind. */
export const BEHIND = ['growing', 'steady', 'draining', 'resuming'];

/** The next event of a service; empty if there is none. */
export function next(service, now = Date.now()) {
  const { late, clear, state, limit, accepted, performed } = service;
  const past = late?.v?.passed ? `past its ${duration(limit)} limit` : '';
  if (service.paused || state === 'paused') return nextOfPaused(service, past, now);
  if (state === 'failed') return 'needs attention';
  if (service.standsStill) return [past, 'stands still until space is freed'].filter(Boolean).join('; ');
  const end = clear?.v?.in > 0 && state !== 'keeping_up' ? `catches up in ${approximately(clear)}` : '';
  if (past) return [past, end].filter(Boolean).join('; ');
  const passes = late?.v?.in === undefined ? '' : `passes its ${duration(limit)} limit in ${approximately(late)}`;
  if (end && passes && state === 'draining') return `${end}, but ${passes}`;
  if (passes || end) return passes || end;
  if (clear?.v?.never !== undefined && state === 'steady' && !(performed?.v > accepted?.v)) return 'does not catch up at this rate';
  if (state.startsWith('waiting')) return 'resumes automatically';
  if (state === 'growing' && service.behind?.v < limit && !(performed?.v > accepted?.v)) return `passes its ${duration(limit)} limit in ${forecast(limit - service.behind.v)} at the earliest`;
  return BEHIND.includes(state) && service.behind?.v > 0 ? 'when it catches up is not known yet' : '';
}

function nextOfPaused({ paused, late, limit }, past, now) {
  if (past) return `paused; ${past}`;
  const until = paused?.until;
  const end = until ? ` until ${ahead(until, now)}` : '';
  const isLateBefore = late?.v?.in !== undefined && !(until && now + late.v.in * 1000 >= Date.parse(until));
  return isLateBefore ? `paused${end}; passes its ${duration(limit)} limit in ${forecast(late.v.in)}` : `paused${end || ' until resumed'}`;
}

/** The line of figures on a service's own screen. */
export const figures = ({ unperformed, limit, accepted, performed }) => [
  `${figure(unperformed, (value) => counted(value, 'message'))} ${unperformed?.v === 1 ? 'waits' : 'wait'}`,
  `limit ${duration(limit)}`,
  `accepts ${figure(accepted, number)}/s, performs ${figure(performed, number)}/s`,
];
