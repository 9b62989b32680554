/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { computed } from '@preact/signals';
import { retryNow, startStream } from '/app/api.js';
import { html } from '/app/parts/elements.js';
import { Banner } from '/app/parts/shell.js';
import { dialog, link, me, serviceSignal } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const FRAME = { seq: 7, at: '2026-11-20T02:31:07Z', version: 'test', verdict: { problems: [] }, services: [], instances: [] };

/** The streams that the page has opened, the latest last. */
const opened = [];

class Stream {
  constructor() {
    opened.push(this);
  }
  addEventListener(_, snapshot) {
    this.send = (frame) => snapshot({ data: JSON.stringify({ ...FRAME, ...frame }) });
  }
  close() {
    this.closed = true;
  }
}

const open = () => opened.filter((one) => !one.closed);

/** A page whose stream is open; the server answers requests with this status. */
async function withStream(status, act) {
  const { EventSource, fetch } = window;
  window.EventSource = Stream;
  window.fetch = async () => new Response('{}', { status, headers: { 'Content-Type': 'application/json' } });
  given({});
  startStream();
  try {
    await act();
  } finally {
    delete document.visibilityState;
    retryNow();
    opened.at(-1).close();
    window.EventSource = EventSource;
    window.fetch = fetch;
    given({});
  }
}

async function until(what, isSo) {
  const end = Date.now() + 5000;
  while (!isSo() && Date.now() < end) await new Promise((over) => setTimeout(over, 20));
  equal(isSo(), true, what);
}

export async function aPageWaitsAtMostTwoAndAHalfSecondsBeforeItTriesAgain() {
  await withStream(503, async () => {
    const waits = [];
    for (let i = 0; i < 5; i++) {
      link.value = { state: 'live', retryAt: 0 };
      opened.at(-1).onerror();
      await until('lost', () => link.value.state === 'lost');
      waits.push(link.value.retryAt - Date.now());
      retryNow();
    }
    equal(waits.filter((wait) => !(wait > 0 && wait <= 2500)), [], `too long or no wait of ${waits}`);
  });
}

export async function aFrameShowsThatTheStreamIsBack() {
  await withStream(503, async () => {
    opened.at(-1).onerror();
    await until('lost', () => link.value.state === 'lost');
    equal(texts(draw(html`<${Banner} />`), 'strong'), ['No connection to the server.'], 'said');
    await until('another stream', () => open().length === 1);
    opened.at(-1).send({ services: [service('mail', { failed: 5 })] });
    equal([link.value.state, serviceSignal('mail').value.failed], ['live', 5], 'live');
  });
}

/** The server ends each stream after 15 minutes. */
export async function theEndOfAStreamIsNoLostConnection() {
  await withStream(200, async () => {
    opened.at(-1).send({});
    opened.at(-1).onerror();
    await until('another stream', () => open().length === 1);
    equal(link.value.state, 'live', 'still');
    opened.at(-1).onerror();
    await until('lost', () => link.value.state === 'lost');
  });
}

export async function aRefusedStreamSaysWhy() {
  await withStream(200, async () => {
    const detail = 'This user has too many streams open (limit=10); close a browser, or end a session.';
    const { fetch } = window;
    window.fetch = async (path) => (path.endsWith('/stream') ? new Response(JSON.stringify({ detail }), { status: 429, headers: { 'Content-Type': 'application/problem+json' } }) : fetch(path));
    opened.at(-1).send({});
    opened.at(-1).onerror();
    await until('another stream', () => open().length === 1);
    opened.at(-1).onerror();
    await until('lost', () => link.value.state === 'lost');
    equal(texts(draw(html`<${Banner} />`), 'strong'), [detail], 'said');
  });
}

export async function aLostSessionEndsTheStream() {
  await withStream(401, async () => {
    dialog.value = {};
    opened.at(-1).onerror();
    await until('the login', () => me.value === null);
    await new Promise((over) => setTimeout(over, 20));
    equal([open().length, link.value.state, dialog.value], [0, 'live', null], 'no retry, no dialog');
  });
}

/** A browser opens at most six connections to a server. */
export async function aHiddenPageHasNoStream() {
  await withStream(200, async () => {
    const become = (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    equal(open().length, 1, 'visible');
    become('hidden');
    equal(open().length, 0, 'hidden');
    become('visible');
    equal(open().length, 1, 'visible again');
  });
}

export async function aFigureThatDidNotChangeIsNotDrawnAgain() {
  given({ services: [service('mail', { failed: 1 }), service('orders')] });
  const failed = computed(() => serviceSignal('mail').value.failed);
  const place = draw(html`<p>${failed}</p>`);
  const text = place.querySelector('p').firstChild;
  let changes = 0;
  const watch = new MutationObserver((records) => (changes += records.length));
  watch.observe(place, { subtree: true, childList: true, characterData: true });
  for (const now of [2, 2, 2, 3]) {
    given({ services: [service('mail', { failed: now, dead: changes }), service('orders')] });
    await until(`${now}`, () => text.data === `${now}`);
  }
  watch.disconnect();
  equal(changes, 2, 'changes of its text');
}

/** Its row may be drawn once more before it is removed. */
export function aServiceThatIsGoneKeepsItsLastFigures() {
  given({ services: [service('mail', { failed: 3 }), service('orders')] });
  const mail = serviceSignal('mail');
  equal(mail.value.failed, 3, 'before');
  given({ services: [service('orders')] });
  equal([serviceSignal('mail'), mail.value.failed], [undefined, 3], 'after');
}
