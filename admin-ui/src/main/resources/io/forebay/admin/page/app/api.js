/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The server: requests to /admin/api/v1, and the stream of frames. A browser opens at most six connections to a server over
 * HTTP/1.1, so there is one EventSource, and none while the page is hidden.
 */
import { batch } from '@preact/signals';
import { link, lostSession, mustChangePassword, take } from './store.js';

/** "name must have 1 to 100 characters": what is wrong with each field; empty if nothing is. */
const fieldsOf = ({ errors = [] }) => errors.map(({ field, message }) => `${field.replace('/', '')} ${message}`).join('; ');

/** An error answer of the server; `message` is a sentence for people. */
class Problem extends Error {
  constructor(status, document) {
    super(fieldsOf(document) || document.detail || document.title || `The server answered ${status}.`);
    this.status = status;
    this.type = document.type;
    this.document = document;
  }
}

function csrfToken() {
  return document.cookie.match(/(?:^|; )forebay-xsrf=([^;]*)/)?.[1];
}

async function send(path, { method = 'GET', body, signal } = {}) {
  const headers = { Accept: 'application/json, application/problem+json, text/event-stream' };
  const isForm = body instanceof URLSearchParams;
  if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
  if (method !== 'GET' && csrfToken()) headers['X-XSRF-TOKEN'] = decodeURIComponent(csrfToken());
  try {
    return await fetch('/admin/api/v1' + path, {
      method,
      headers,
      signal,
      cache: 'no-store',
      body: body === undefined || isForm ? body : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === 'AbortError') throw failure;
    throw new Problem(0, { detail: 'The server does not respond. The outcome is unknown; check before you repeat the action.' });
  }
}

/** Sends a request; returns the JSON of the answer, or null if there is none; throws a Problem. */
export async function api(path, options) {
  const response = await send(path, options);
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
  if (!isJson) response.body?.cancel();
  const text = isJson && (await response.text());
  const json = text ? JSON.parse(text) : null;
  if (response.ok) return json;
  if (response.status === 401 && path !== '/login') lostSession();
  if (json?.type === 'urn:forebay:problem:password-must-change') mustChangePassword();
  throw new Problem(response.status, json ?? {});
}

export const post = (path, body = {}) => api(path, { method: 'POST', body });

/** A path with a query; empty values are left out. */
export function path(base, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? base + '?' + new URLSearchParams(given) : base;
}

export const service = (name, rest = '') => '/services/' + encodeURIComponent(name) + rest;

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

/** Retries here, because the browser's own retry reports neither time nor cause. The server ends each stream after some minutes: one failure is none. */
async function failed() {
  close();
  const isFirst = failures === 0;
  let problem = null;
  await api(isFirst ? '/me' : '/stream', { signal: AbortSignal.timeout(ANSWER_WITHIN) }).catch((it) => (problem = it));
  if (problem?.status === 401 || source || retry || !isVisible()) return; // a login starts the stream again
  const wait = Math.min(LONGEST_WAIT, 1000 * 2 ** failures++);
  if (problem || !isFirst) link.value = { state: 'lost', retryAt: Date.now() + wait, why: problem?.status && problem.document.detail };
  retry = setTimeout(retryNow, wait);
}

