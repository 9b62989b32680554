/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The page's end of the stream: see stream-worker.js. */
import { batch } from '@preact/signals';
import { link, lostSession, take } from './store.js';

const WORKER = new URL('../stream-worker.js', import.meta.url);
const ASK_EVERY = 10_000;

let port = null;
let answered = false;

function hear({ data }) {
  answered = true;
  if (data.frame) take(data);
  if (!data.link) return;
  batch(() => {
    link.value = { state: data.link, retryAt: data.retryAt };
    if (data.link === 'nobody') lostSession();
  });
}

const say = (message) => port?.postMessage(message);
const ask = () => say({ visible: document.visibilityState === 'visible' });

/** Opens the stream, or opens it again after a login. */
export function startStream() {
  if (port) {
    retryNow();
    return;
  }
  connect('forebay');
  document.addEventListener('visibilitychange', ask);
  setInterval(askAgain, ASK_EVERY);
  addEventListener('pagehide', () => say({ bye: true }));
  addEventListener('pageshow', (event) => event.persisted && ask());
}

function connect(name) {
  if (typeof SharedWorker === 'function') {
    port = new SharedWorker(WORKER, { name }).port;
  } else {
    port = new Worker(WORKER);
  }
  port.onmessage = hear;
  ask();
}

/** A worker answers at once. One that does not did not start, hangs or was ended by the browser; another takes its place. */
function askAgain() {
  if (answered) {
    answered = false;
    ask();
    return;
  }
  say({ bye: true });
  port.onmessage = null;
  port.terminate?.();
  connect(`forebay-${Date.now()}`);
}

export function retryNow() {
  say({ retry: true });
}
