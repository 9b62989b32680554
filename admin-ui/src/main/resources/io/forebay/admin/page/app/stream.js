/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The page's end of the stream: see stream-worker.js. */
import { batch } from '@preact/signals';
import { link, lostSession, take } from './store.js';

const WORKER = new URL('../stream-worker.js', import.meta.url);
const SIGN_OF_LIFE = 20_000;
const FIRST_WORD_WITHIN = 10_000;

let port = null;
let heard = false;

function hear({ data }) {
  heard = true;
  if (data.frame) take(data.frame);
  if (!data.link) return;
  batch(() => {
    link.value = { state: data.link, retryAt: data.retryInSeconds ? Date.now() + data.retryInSeconds * 1000 : 0 };
    if (data.link === 'nobody') lostSession();
  });
}

const say = (message) => port?.postMessage(message);
const sayVisible = () => say({ visible: document.visibilityState === 'visible' });

/** Opens the stream, or opens it again after a login. */
export function startStream() {
  if (port) {
    retryNow();
    return;
  }
  connect('forebay');
  retryWhenNobody();
  document.addEventListener('visibilitychange', sayVisible);
  setInterval(sayVisible, SIGN_OF_LIFE);
  addEventListener('pagehide', () => say({ bye: true }));
  addEventListener('pageshow', (event) => event.persisted && sayVisible());
}

/** A worker answers at once. If it does not, because it did not start or hangs, another one takes its place. */
function connect(name) {
  if (typeof SharedWorker === 'function') {
    port = new SharedWorker(WORKER, { name }).port;
  } else {
    port = new Worker(WORKER);
  }
  port.onmessage = hear;
  sayVisible();
  setTimeout(() => heard || connect(`forebay-${Date.now()}`), FIRST_WORD_WITHIN);
}

/** A worker started by another page may still wait for a login; this page is logged in. */
function retryWhenNobody() {
  setTimeout(() => link.peek().state === 'nobody' && retryNow(), 300);
}

export function retryNow() {
  say({ retry: true });
}
