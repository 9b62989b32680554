/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The state of the page: the user, the latest frame, one signal per service, the age of the figures, and whether colours are dark. */
import { batch, computed, effect, signal } from '@preact/signals';

/** undefined: unknown yet; null: nobody is logged in */
export const me = signal(undefined);
/** The latest frame without its services. */
export const frame = signal(null);
export const hasFrame = computed(() => frame.value !== null);
/** @type {Map<string, import('@preact/signals').Signal<object>>} */
const services = new Map();
/** In alphabetical order, so that no row moves while somebody uses it. */
export const serviceNames = signal([]);
/** connecting, live, lost; if lost, when it is tried again, and why if the server refuses it */
export const link = signal({ state: 'connecting', retryAt: 0 });
/** Seconds since the latest frame came; counted by the page's own clock. */
export const age = signal(0);
export const freshness = computed(() => {
  if (!frame.value) return 'waiting';
  return age.value > 15 ? 'old' : age.value > 3 ? 'late' : 'live';
});
export const canAct = computed(() => link.value.state === 'live' && freshness.value !== 'old');
/** Whether the system database does not respond: each command needs its audit. */
export const systemAway = computed(() => (frame.value?.databasesAway ?? []).some((one) => one.services.length === 0));
export const seconds = signal(0);
/** The open dialog: a component and its props. */
export const dialog = signal(null);
/** A short line about the last action, read out by screen readers. */
export const notice = signal('');

const RANK = { viewer: 0, operator: 1, admin: 2 };
let cameAt = 0;
let firstVersion = null;

export const newVersion = signal(false);

export const may = (role) => RANK[me.value?.role] >= RANK[role];

/** The figures of a service; undefined if there is none of this name. */
export const serviceSignal = (name) => services.get(name);

/** The open alerts of a service, the worst first. */
export const problemsOf = (name) => frame.value?.verdict?.problems.filter((one) => one.service === name) ?? [];

/** The kind of the worst open alert of a service, such as failing; undefined if there is none. */
export const worstKind = (name) => problemsOf(name)[0]?.kind;

/** The figures of all services. */
export const allServices = () => serviceNames.value.map((name) => services.get(name).value);

/** Stores a frame. @param {string} json as the server sends it */
export function take(json) {
  const { services: list, ...rest } = JSON.parse(json);
  cameAt = performance.now();
  batch(() => {
    takeServices(list);
    firstVersion ??= rest.version;
    newVersion.value = firstVersion !== rest.version;
    frame.value = rest;
    age.value = 0;
  });
}

function takeServices(list) {
  for (const service of list) {
    const known = services.get(service.name);
    if (known) known.value = service;
    else services.set(service.name, signal(service));
  }
  const names = list.map(({ name }) => name).sort();
  for (const name of services.keys()) if (!names.includes(name)) services.delete(name);
  if (names.join() !== serviceNames.peek().join()) serviceNames.value = names;
}

export function lostSession() {
  me.value = null;
  dialog.value = null;
}

export function mustChangePassword() {
  if (me.peek() && !me.peek().mustChange) me.value = { ...me.peek(), mustChange: true };
}

export function startClock() {
  setInterval(() => {
    batch(() => {
      seconds.value++;
      if (frame.peek()) age.value = Math.floor((performance.now() - cameAt) / 1000);
    });
  }, 1000);
  effect(() => {
    document.documentElement.dataset.fresh = link.value.state === 'lost' && freshness.value === 'live' ? 'late' : freshness.value;
  });
}

let told = 0;
export function tell(text) {
  notice.value = text;
  clearTimeout(told);
  told = setTimeout(() => (notice.value = ''), 8000);
}

const system = matchMedia('(prefers-color-scheme: dark)');
export const dark = signal(system.matches);

/** The colours are those of the system. */
export function startTheme() {
  system.addEventListener('change', () => (dark.value = system.matches));
  effect(() => {
    document.documentElement.dataset.theme = dark.value ? 'dark' : 'light';
  });
}
