/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/elements.js';
import { TopBar, waiting } from '/app/parts/shell.js';
import { PLACES, visiblePlaces } from '/app/router.js';
import { HomeScreen } from '/app/screens/home.js';
import { me, notice } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const names = () => visiblePlaces().map((place) => place.name);

export function everyScreenHasItsOwnPath() {
  for (const field of ['path', 'name']) equal(new Set(PLACES.map((place) => place[field])).size, PLACES.length, field);
}

export function aRoleSeesTheScreensOfWeakerRoles() {
  const all = ['Home', 'Storage', 'Failed', 'Jobs'];
  given({ role: 'viewer' });
  equal(names(), all, 'viewer');
  given({ role: 'operator' });
  equal(names(), [...all, 'Callers', 'Audit'], 'operator');
  given({ role: 'admin' });
  equal(names(), [...all, 'Callers', 'Audit', 'Settings'], 'admin');
}

export function aViewersHomeSaysWhatItDoesNotShow() {
  const line = (role) => {
    given({ role });
    return texts(draw(html`<${HomeScreen} />`), 'p.foot').find((text) => text.includes('read-only'));
  };
  equal(line('viewer'), 'Your login is read-only (role viewer): it has no commands, and does not show Callers, Audit, Messages and Settings.', 'viewer');
  equal(line('operator'), undefined, 'operator');
}

export function theMenuCountsOpenFailuresAndFailedJobs() {
  const shown = (frame) => {
    given(frame);
    return PLACES.map(waiting).filter(Boolean);
  };
  const open = (count, capped = false) => ({ open: { count, capped } });
  equal(shown({ services: [service('a'), service('b', open(0))], tiles: { jobs: { failed: 0 } } }), [], 'nothing');
  const services = [service('a', open(9)), service('b', open(10_000, true))];
  equal(shown({ services, tiles: { jobs: { failed: 2 } } }), ['10,009+', '2'], 'both');
  const away = [{ services: [], since: '2026-11-20T02:30:00Z' }];
  equal(shown({ tiles: { jobs: { failed: 2 } }, databasesAway: away }), [], 'jobs are unknown while the system database is away');
}

/** The session would stay. */
export async function aLogoutThatFailsIsNoLogout() {
  given({});
  const { fetch } = window;
  window.fetch = async () => new Response('{"detail": "Not now."}', { status: 503, headers: { 'Content-Type': 'application/problem+json' } });
  try {
    [...draw(html`<${TopBar} />`).querySelectorAll('button')].at(-1).click();
    const end = Date.now() + 5000;
    while (notice.value !== 'Not now.' && Date.now() < end) await new Promise((over) => setTimeout(over, 20));
    equal([notice.value, me.value?.name], ['Not now.', 'olga'], 'still logged in');
  } finally {
    window.fetch = fetch;
  }
}
