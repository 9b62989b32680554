/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The moment in the past that a screen shows (?at=2026-11-27T03:00Z): its banner, its way back to now, and the field that chooses it. */
import { html } from './html.js';
import { path } from '../api.js';
import { duration, second } from '../format.js';
import { href, isRecorded, route, view } from '../router.js';
import { frame, seconds } from '../store.js';
import { useLoad } from './load.js';

/** The time of the server. */
export const now = () => (frame.peek() ? Date.parse(frame.peek().at) : Date.now());

/**
 * The moment of the address: null if the screen shows now, a problem if the address has no such moment. A time without an offset is UTC.
 * @returns {{time: number, iso: string} | {problem: string} | null}
 */
export function shownAt({ at } = route.value.query) {
  if (!at) return null;
  const time = Date.parse(/T[\d:.]+$/.test(at) ? at + 'Z' : at);
  if (Number.isNaN(time)) return { problem: `“${at}” is not a time such as 2026-11-27T03:00Z.` };
  if (time > now()) return { problem: `${second(time)} UTC has not come yet.` };
  return { time, iso: new Date(time).toISOString() };
}

/** Whether the screen shows the past. */
const isPast = () => shownAt()?.time !== undefined;

/** What the server recorded of the moment. */
export const usePast = ({ iso }) => useLoad(path('/past', { at: iso }));

/** The same screen now: a range that is not relative would stay in the past. */
export function backToNow({ path: here, query } = route.value) {
  const { at, to, from = '', ...rest } = query;
  return href(here, { ...rest, at: '', from: /^-|^start$/.test(from) ? from : '' });
}

export function PastBanner() {
  const shown = shownAt();
  if (!shown) return null;
  seconds.value; // how long ago
  const back = html`<a class="button" href=${backToNow()}>Back to now</a>`;
  if (shown.problem) return html`<div class="banner past" role="alert"><p>${shown.problem} <strong>You see now.</strong></p>${back}</div>`;
  if (!isRecorded(route.value.path)) return html`<div class="banner past"><p><strong>You see now:</strong> what this screen shows is not recorded.</p>${back}</div>`;
  return html`<section class="banner past" aria-label="Time shown">
    <p><strong>You see Forebay as it was at ${second(shown.time)} UTC</strong>, ${duration(Math.max(0, Math.round((now() - shown.time) / 1000)))} ago.</p>${back}</section>`;
}

/** A mark in charts. */
export const atMark = () => (isPast() ? [{ x: shownAt().time / 1000, label: second(shownAt().time).split(' ')[2] }] : []);

/** Chooses the moment. */
export function AtField() {
  const shown = shownAt();
  const set = (event) => {
    const { value } = event.target;
    view({ at: value && value + 'Z', to: '', ...(/^-/.test(route.peek().query.from) ? {} : { from: '' }) });
  };
  return html`<label class="at">As it was at (UTC) <input type="datetime-local" value=${shown?.iso?.slice(0, 16) ?? ''} max=${new Date(now()).toISOString().slice(0, 16)} onChange=${set} /></label>`;
}
