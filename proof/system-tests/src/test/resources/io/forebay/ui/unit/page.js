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
export function given({ role = 'operator', services = [], severity = 'fine', problems = [], recovered = [], tiles = {}, databasesAway = [], at = '2026-11-20T02:31:07Z' }) {
  me.value = { name: 'olga', role };
  link.value = { state: 'live', retryAt: 0 };
  go('/admin/');
  const verdict = { severity, text: 'A sentence.', problems, recovered };
  const flow = { first: at, step: 10, accepted: [], performed: [] };
  const frame = { seq: 1, at, flow, version: 'test', backend: 'chronicle', profiles: [], instances: [], tiles, databasesAway, demo: null, verdict };
  take(JSON.stringify({ ...frame, services }));
}

/** A service of a frame. */
export const service = (name, more = {}) => ({
  name, state: 'keeping_up', severity: 'fine', limit: 300, accepts: true, partitions: 1, failed: 0, dead: 0, failedRecently: 0,
  waitsFor: [], damaged: [], paused: null, ...more,
});
