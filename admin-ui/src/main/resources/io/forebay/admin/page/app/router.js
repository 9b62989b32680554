/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The address is the state: the path names the object, the query names the view. */
import { signal } from '@preact/signals';
import { path as withQuery } from './api.js';

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


/** The address of a path below /admin with a query; empty values are left out. Links between screens that show the past keep its moment. */
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
