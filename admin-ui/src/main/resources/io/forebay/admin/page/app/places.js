/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The screens that the menu, the keys and the search offer, each with the least role that sees it. */
import { may } from './store.js';

export const PLACES = [
  { path: '/', name: 'Services', under: '/services', key: 's' },
  { path: '/jobs', name: 'Jobs', key: 'j' },
  { path: '/storage', name: 'Storage', key: 't' },
  { path: '/failed', name: 'Failed', key: 'd' },
  { path: '/messages', name: 'Messages', key: 'q', role: 'operator' },
  { path: '/door', name: 'Door', key: 'o', role: 'operator' },
  { path: '/alerts', name: 'Alerts', key: 'a' },
  { path: '/audit', name: 'Audit', key: 'u', role: 'operator' },
  { path: '/try', name: 'Try', key: 'y' },
  { path: '/setup', name: 'Setup', key: 'e' },
  { path: '/users', name: 'Users', key: 'm', role: 'admin' },
];

export const isVisible = (place) => !place.role || may(place.role);

export const visiblePlaces = () => PLACES.filter(isVisible);
