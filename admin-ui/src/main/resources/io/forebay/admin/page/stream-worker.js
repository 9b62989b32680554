/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One stream of snapshots per browser. As a SharedWorker it holds the only EventSource and hands each frame to every page
 * that is open: a browser opens at most six connections to a server over HTTP/1.1, and one per page would use them up. It
 * parses the frame and sends the services as bytes, so that a page parses only those it shows. Without SharedWorker, the same
 * file runs as the page's own Worker, and closes the stream while the page is hidden.
 *
 * Page to worker: {visible: boolean} when it changes and every 10 s, {retry: true} now; each is answered, with {} if there is
 * nothing to tell. {bye: true} when the page closes.
 * Worker to page: {frame: string, bytes: Uint8Array}. The frame is JSON with [name, severity, end] for each service; its own
 * JSON is the bytes from the end of the one before to its end.
 * Or {link: "connecting" | "live" | "lost" | "nobody", retryAt: milliseconds since 1970, or 0}.
 */
'use strict';

const STREAM = '/admin/api/v1/stream';
const ME = '/admin/api/v1/me';
const HIDDEN_AFTER = 30_000;
const HIDDEN_EVERY = 10_000;
const PAGE_GONE_AFTER = 180_000;
const SILENT_AFTER = 20_000;
const LONGEST_WAIT = 2_500;
const ANSWER_WITHIN = 5_000;

const encoder = new TextEncoder();
const shared = 'onconnect' in self;
/** @type {Map<MessagePort, {visible: boolean, since: number, heard: number, sent: number}>} */
const pages = new Map();
let source = null;
let link = { link: 'connecting', retryAt: 0 };
let lastFrame = null;
let lastAt = 0;
let openedAt = 0;
let failures = 0;
let retry = null;

function tell(message) {
  for (const port of pages.keys()) port.postMessage(message);
}

function say(state, retryIn = 0) {
  link = { link: state, retryAt: retryIn && Date.now() + retryIn };
  tell(link);
}

function open() {
  clearTimeout(retry);
  retry = null;
  close();
  openedAt = Date.now();
  if (link.link === 'nobody') say('connecting');
  source = new EventSource(STREAM);
  source.addEventListener('snapshot', (event) => {
    failures = 0;
    lastFrame = split(event.data);
    lastAt = Date.now();
    if (link.link !== 'live') say('live');
    deliver();
  });
  source.onerror = failed;
}

/** A page lists the services of each instance only if there are several. */
function split(text) {
  const { services, instances, ...frame } = JSON.parse(text);
  const parts = services.map((service) => encoder.encode(JSON.stringify(service)));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  const index = services.map(({ name, severity }, i) => {
    bytes.set(parts[i], end);
    end += parts[i].length;
    return [name, severity, end];
  });
  return { frame: JSON.stringify({ ...frame, instances: instances.length > 1 ? instances : [], services: index }), bytes };
}

function close() {
  source?.close();
  source = null;
}

/** Retries here, because the browser's own retry reports neither time nor cause. */
async function failed() {
  close();
  try {
    const response = await fetch(ME, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN) });
    if (response.status === 401) {
      say('nobody');
      return;
    }
  } catch {
    // the server does not respond; retried below
  }
  if (source || retry) return;
  const wait = Math.min(LONGEST_WAIT, 1000 * 2 ** Math.min(failures++, 4));
  say('lost', wait);
  retry = setTimeout(open, wait);
}

function deliver() {
  const now = Date.now();
  for (const [port, page] of pages) {
    const hidden = !page.visible && now - page.since > HIDDEN_AFTER;
    if (hidden && now - page.sent < HIDDEN_EVERY) continue;
    page.sent = now;
    send(port);
  }
}

/** Transfers a copy of the bytes, because each page needs its own. */
function send(port) {
  const bytes = lastFrame.bytes.slice();
  port.postMessage({ ...lastFrame, bytes }, [bytes.buffer]);
}

function heard(port, message) {
  const now = Date.now();
  if (message.bye) {
    pages.delete(port);
    return;
  }
  let page = pages.get(port);
  const isNew = !page;
  if (isNew) {
    page = { visible: true, since: now, heard: now, sent: 0 };
    pages.set(port, page);
  }
  page.heard = now;
  const changed = message.visible !== undefined && message.visible !== page.visible;
  if (changed) {
    page.visible = message.visible;
    page.since = now;
  }
  // A page comes after its login.
  if (message.retry || (!source && !retry && (isNew || link.link !== 'nobody'))) open();
  port.postMessage(isNew ? link : {});
  if ((isNew || changed) && page.visible && lastFrame && now - lastAt < 3000) send(port);
}

setInterval(() => {
  const now = Date.now();
  for (const [port, page] of pages) if (now - page.heard > PAGE_GONE_AFTER) pages.delete(port);
  const wanted = shared
    ? pages.size > 0
    : [...pages.values()].some((page) => page.visible || now - page.since < HIDDEN_AFTER);
  if (!wanted && source) close();
  if (wanted && source && now - Math.max(lastAt, openedAt) > SILENT_AFTER) failed();
  if (wanted && !source && !retry && link.link === 'live') open();
}, 1000);

function attach(port) {
  port.onmessage = (event) => heard(port, event.data);
  heard(port, {});
}

if (shared) {
  self.onconnect = (event) => attach(event.ports[0]);
} else {
  attach(self);
}
