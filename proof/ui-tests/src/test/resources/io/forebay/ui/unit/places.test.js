/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { PLACES, visiblePlaces } from '/app/places.js';
import { equal } from './expect.js';
import { given } from './page.js';

const names = () => visiblePlaces().map((place) => place.name);

export function everyScreenHasItsOwnPathAndKey() {
  for (const field of ['path', 'name', 'key']) equal(new Set(PLACES.map((place) => place[field])).size, PLACES.length, field);
}

export function aRoleSeesTheScreensOfWeakerRoles() {
  const all = ['Services', 'Jobs', 'Storage', 'Failed', 'Alerts', 'Try', 'Setup'];
  given({ role: 'viewer' });
  equal(names(), all, 'viewer');
  given({ role: 'operator' });
  equal(names(), [...all.slice(0, 4), 'Messages', 'Door', 'Alerts', 'Audit', 'Try', 'Setup'], 'operator');
  given({ role: 'admin' });
  equal(names(), [...all.slice(0, 4), 'Messages', 'Door', 'Alerts', 'Audit', 'Try', 'Setup', 'Users'], 'admin');
}
