/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { render } from 'preact';
import { go } from '/app/router.js';
import { link, me, take } from '/app/store.js';

/** Draws a part of the page and returns its element. */
export function draw(content) {
  const place = document.createElement('div');
  render(content, place);
  return place;
}

export const texts = (place, selector) => [...place.querySelectorAll(selector)].map((one) => one.textContent.replace(/\s+/g, ' ').trim());

/** The home page of a user with this role, to which the server sends these services and problems. */
export function given({ role = 'operator', services = [], severity = 'fine', problems = [], tiles = {}, databasesAway = [], door = null, at = '2026-11-20T02:31:07Z' }) {
  me.value = { name: 'olga', role };
  link.value = { state: 'live', retryAt: 0 };
  go('/admin/');
  const verdict = { severity, problems };
  const flow = { first: at, step: 10, accepted: [], performed: [] };
  const frame = { seq: 1, at, flow, version: 'test', backend: 'chronicle', profiles: [], instances: [], tiles, databasesAway, door, demo: null, verdict };
  take(JSON.stringify({ ...frame, services }));
}

/** Figures from which the sentence of an alert of any kind can be made. */
const FIGURES = {
  limit: 300, state: 'growing', trend: 'growing', reason: '', accepts: true, behind: { v: 252 }, late: {}, clear: {}, accepted: {}, performed: {}, cause: {},
  count: 3, lately: 3, shareNow: 0.3, over: null, onTime: {}, usual: {}, phase: 'failed', outage: null, lock: null, pause: null, loss: {},
  runway: { v: { middle: { in: 60 }, low: { in: 60 } } }, othersShare: {}, next: null, refusing: null, name: 'app-2', unseen: 41, trouble: 'dead', execution: 7,
};

/** An open alert of a frame. */
export const problem = (kind, more = {}) => ({
  id: kind + '~a', severity: 'bad', kind, service: 'a', volume: null, job: null, execution: null, since: '2026-11-20T02:00:00Z', figure: 0.3, figures: FIGURES, ...more,
});

/** A service of a frame. */
export const service = (name, more = {}) => ({
  name, state: 'keeping_up', trend: more.state === 'resuming' ? 'steady' : (more.state ?? 'keeping_up'), severity: 'fine', limit: 300, accepts: true, partitions: 1, failed: 0, dead: 0, failedRecently: 0,
  waitsFor: [], damaged: [], paused: null, ...more,
});
