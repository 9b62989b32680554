/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { hiddenPlaces, PLACES, visiblePlaces } from '/app/places.js';
import { ServicesScreen } from '/app/screens/services.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const names = () => visiblePlaces().map((place) => place.name);

export function everyScreenHasItsOwnPath() {
  for (const field of ['path', 'name']) equal(new Set(PLACES.map((place) => place[field])).size, PLACES.length, field);
}

export function aRoleSeesTheScreensOfWeakerRoles() {
  const all = ['Services', 'Jobs', 'Storage', 'Failed'];
  given({ role: 'viewer' });
  equal(names(), all, 'viewer');
  given({ role: 'operator' });
  equal(names(), [...all, 'Messages', 'Callers', 'Audit'], 'operator');
  given({ role: 'admin' });
  equal(names(), [...all, 'Messages', 'Callers', 'Audit', 'Users'], 'admin');
}

export function aViewersHomeSaysWhatItDoesNotShow() {
  const line = (role) => {
    given({ role });
    return texts(draw(html`<${ServicesScreen} />`), 'p.foot').find((text) => text.includes('read-only'));
  };
  const hidden = 'Messages, Callers and Audit (role operator) and Users (role admin)';
  equal(line('viewer'), `Your login is read-only (role viewer): it may not use commands, and does not show ${hidden}.`, 'viewer');
  equal(hiddenPlaces(), hidden, 'hidden');
  equal(line('operator'), undefined, 'operator');
  equal(hiddenPlaces(), 'Users (role admin)', 'hidden from an operator');
}
