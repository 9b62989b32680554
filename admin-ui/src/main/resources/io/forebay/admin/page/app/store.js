/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The state of the page: the user, the latest frame, one signal per service, and the age of the figures. Cells are computed
 * from the signal of their service, so that a frame redraws only what it changed.
 */
import { batch, computed, effect, signal } from '@preact/signals';

/** undefined: unknown yet; null: nobody is logged in */
export const me = signal(undefined);
/** The latest frame without its services. */
export const frame = signal(null);
export const hasFrame = computed(() => frame.value !== null);
/** @type {Map<string, import('@preact/signals').Signal<object>>} */
const services = new Map();
/** Names as the server orders them, and as the table shows them. */
const urgency = signal([]);
export const order = signal([]);
const isSame = (names, others) => names.length === others.length && names.every((name, i) => name === others[i]);
export const otherOrder = computed(() => !isSame(urgency.value, order.value));
/** connecting, live, lost */
export const link = signal({ state: 'connecting', retryAt: 0 });
/** Seconds since the latest frame came; counted by the page's own clock. */
export const age = signal(0);
export const freshness = computed(() => {
  if (!frame.value) return 'waiting';
  return age.value > 15 ? 'old' : age.value > 3 ? 'late' : 'live';
});
export const canAct = computed(() => link.value.state === 'live' && freshness.value !== 'old');
/** Whether the system database does not respond: each command needs its audit. */
export const systemAway = computed(() => (frame.value?.databasesAway ?? []).some((one) => one.system));
export const seconds = signal(0);
/** The open dialog: a component and its props. */
export const dialog = signal(null);
/** A short line about the last action, read out by screen readers. */
export const notice = signal('');

const RANK = { viewer: 0, operator: 1, admin: 2 };
const SEVERITIES = ['fine', 'watch', 'bad'];
const REORDER_EVERY = 10;
const HELD_MILLIS = 10_000;
let cameAt = 0;
let heldUntil = 0;
let firstVersion = null;

export const newVersion = signal(false);

export const may = (role) => RANK[me.value?.role] >= RANK[role];

/** The figures of a service; undefined if there is none of this name. */
export const serviceSignal = (name) => services.get(name);

/** The open alerts of a service, the worst first. */
export const problemsOf = (name) => frame.value?.verdict?.problems.filter((one) => one.service === name) ?? [];

/** The kind of the worst open alert of a service, such as failing; undefined if there is none. */
export const worstKind = (name) => problemsOf(name)[0]?.kind;

export const serviceNames = computed(() => [...urgency.value].sort());

/** Stores a frame. @param {string} json as the server sends it */
export function take(json) {
  const { services: list, ...rest } = JSON.parse(json);
  cameAt = performance.now();
  batch(() => {
    const isWorse = takeServices(list);
    const names = list.map(({ name }) => name);
    if (!isSame(names, urgency.peek())) takeNames(names);
    if (isWorse && !isHeld()) applyOrder();
    firstVersion ??= rest.version;
    newVersion.value = firstVersion !== rest.version;
    frame.value = rest;
    age.value = 0;
  });
}

/** Returns whether a service is worse than before. A service that is gone keeps its last figures. */
function takeServices(list) {
  let isWorse = false;
  for (const service of list) {
    const known = services.get(service.name);
    isWorse ||= known !== undefined && SEVERITIES.indexOf(service.severity) > SEVERITIES.indexOf(known.peek().severity);
    if (known) known.value = service;
    else services.set(service.name, signal(service));
  }
  return isWorse;
}

function takeNames(names) {
  const here = new Set(names);
  for (const name of services.keys()) if (!here.has(name)) services.delete(name);
  urgency.value = names;
  if (here.size !== order.peek().length || order.peek().some((name) => !here.has(name))) keepOrder(names);
}

/** Appends new services and removes missing ones; keeps the order of the others. */
function keepOrder(names) {
  const before = order.peek();
  order.value =
    before.length && isHeld()
      ? [...before.filter((name) => names.includes(name)), ...names.filter((name) => !before.includes(name))]
      : names;
}

export function applyOrder() {
  order.value = urgency.peek();
}

/** The order of the table does not change while somebody uses it: for some seconds after each movement and key in it. */
export function holdOrder(hold, millis = HELD_MILLIS) {
  heldUntil = hold ? performance.now() + millis : 0;
}

const isHeld = () => performance.now() < heldUntil;

export function lostSession() {
  if (me.peek() !== null) me.value = null;
}

export function mustChangePassword() {
  if (me.peek() && !me.peek().mustChange) me.value = { ...me.peek(), mustChange: true };
}

export function startClock() {
  setInterval(() => {
    batch(() => {
      seconds.value++;
      if (frame.peek()) age.value = Math.floor((performance.now() - cameAt) / 1000);
      if (!isHeld() && seconds.peek() % REORDER_EVERY === 0 && otherOrder.peek()) applyOrder();
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
