/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The stream of frames: one EventSource while the page is visible. A browser opens at most six connections to a server over
 * HTTP/1.1, so a hidden page has none.
 */
import { batch } from '@preact/signals';
import { api } from './api.js';
import { link, take } from './store.js';

const STREAM = '/admin/api/v1/stream';
const SILENT_AFTER = 20_000;
const LONGEST_WAIT = 2_500;
const ANSWER_WITHIN = 5_000;

let source = null;
let retry = null;
let failures = 0;
let heardAt = 0;
let started = false;

const isVisible = () => document.visibilityState === 'visible';

/** Opens the stream, or opens it again after a login. */
export function startStream() {
  if (!started) {
    started = true;
    document.addEventListener('visibilitychange', () => (isVisible() ? retryNow() : close()));
    setInterval(() => {
      if (source && performance.now() - heardAt > SILENT_AFTER) failed();
    }, 1000);
  }
  retryNow();
}

export function retryNow() {
  close();
  if (!isVisible()) return;
  heardAt = performance.now();
  source = new EventSource(STREAM);
  source.addEventListener('snapshot', ({ data }) => {
    failures = 0;
    heardAt = performance.now();
    batch(() => {
      if (link.peek().state !== 'live') link.value = { state: 'live', retryAt: 0 };
      take(data);
    });
  });
  source.onerror = failed;
}

function close() {
  clearTimeout(retry);
  retry = null;
  source?.close();
  source = null;
}

/** Retries here, because the browser's own retry reports neither time nor cause. */
async function failed() {
  close();
  try {
    await api('/me', { signal: AbortSignal.timeout(ANSWER_WITHIN) });
  } catch (problem) {
    if (problem.status === 401) return; // a login starts the stream again
  }
  if (source || retry || !isVisible()) return;
  const wait = Math.min(LONGEST_WAIT, 1000 * 2 ** failures++);
  link.value = { state: 'lost', retryAt: Date.now() + wait };
  retry = setTimeout(retryNow, wait);
}
