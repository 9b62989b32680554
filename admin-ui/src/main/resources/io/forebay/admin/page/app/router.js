/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The address is the state: the path names the object, the query names the view. Also the screens of the menu. */
import { signal } from '@preact/signals';
import { path as withQuery } from './api.js';
import { may } from './store.js';

const BASE = '/admin';

function read() {
  const path = location.pathname.slice(BASE.length) || '/';
  return {
    path,
    parts: path.split('/').filter(Boolean).map(decodeURIComponent),
    query: Object.fromEntries(new URLSearchParams(location.search)),
  };
}

export const route = signal(read());

/** The address of a path below /admin with a query; empty values are left out. */
export const href = (path, query = {}) => BASE + withQuery(path, query);

export const serviceHref = (name, query) => href('/services/' + encodeURIComponent(name), query);

/** Goes to an address. @param {boolean} replace without a new entry in the history, for example during typing */
export function go(address, replace = false) {
  if (address === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  const before = route.peek().path;
  route.value = read();
  if (route.peek().path !== before) {
    scrollTo(0, 0);
    queueMicrotask(() => document.querySelector('main')?.focus({ preventScroll: true }));
  }
}

/** Changes some values of the query and leaves the others. */
export function view(changes, replace = false) {
  const { path, query } = route.peek();
  go(href(path, { ...query, ...changes }), replace);
}

export function startRouter() {
  addEventListener('popstate', () => (route.value = read()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target.closest?.('a[href^="/admin/"]');
    if (!link || link.target || link.hasAttribute('download')) return;
    event.preventDefault();
    go(link.getAttribute('href'));
  });
}

/** The screens of the menu, each with the least role that sees it. */
export const PLACES = [
  { path: '/', name: 'Home' },
  { path: '/storage', name: 'Storage' },
  { path: '/failed', name: 'Failed' },
  { path: '/jobs', name: 'Jobs' },
  { path: '/callers', name: 'Callers', role: 'operator' },
  { path: '/audit', name: 'Audit', role: 'operator' },
  { path: '/settings', name: 'Settings', role: 'admin' },
];

/** Screens that others lead to. */
export const UNLISTED = [
  { path: '/services', name: 'Service' },
  { path: '/messages', name: 'Messages', role: 'operator' },
];

export const isVisible = (place) => !place.role || may(place.role);

export const visiblePlaces = () => PLACES.filter(isVisible);
