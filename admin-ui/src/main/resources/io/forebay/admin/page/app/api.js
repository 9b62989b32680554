/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Requests to /admin/api/v1. */
import { lostSession, mustChangePassword } from './store.js';

/** An error answer of the server; `message` is a sentence for people. */
class Problem extends Error {
  constructor(status, document) {
    super(document.detail || document.title || `The server answered ${status}.`);
    this.status = status;
    this.type = document.type;
    this.document = document;
  }
}

function csrfToken() {
  return document.cookie.match(/(?:^|; )forebay-xsrf=([^;]*)/)?.[1];
}

async function send(path, { method = 'GET', body, signal } = {}) {
  const headers = { Accept: 'application/json, application/problem+json' };
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
  const text = await response.text();
  const json = /json/.test(response.headers.get('Content-Type') ?? '') && text ? JSON.parse(text) : null;
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
