/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The screens of the menu, each with the least role that sees it. */
import { may } from './store.js';

export const PLACES = [
  { path: '/', name: 'Services', under: '/services' },
  { path: '/jobs', name: 'Jobs' },
  { path: '/storage', name: 'Storage' },
  { path: '/failed', name: 'Failed' },
  { path: '/messages', name: 'Messages', role: 'operator' },
  { path: '/callers', name: 'Callers', role: 'operator' },
  { path: '/audit', name: 'Audit', role: 'operator' },
  { path: '/users', name: 'Users', role: 'admin' },
];

export const isVisible = (place) => !place.role || may(place.role);

export const visiblePlaces = () => PLACES.filter(isVisible);

/** The screens that the user does not see, such as "Messages, Callers and Audit (role operator) and Users (role admin)"; empty if there are none. */
export function hiddenPlaces() {
  const hidden = PLACES.filter((place) => !isVisible(place));
  const parts = [...new Set(hidden.map((place) => place.role))].map((role) => `${and(hidden.filter((place) => place.role === role).map((place) => place.name))} (role ${role})`);
  return and(parts);
}

const and = (words) => (words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`);
