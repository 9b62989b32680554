/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Restarts of this instance: the line on the home page after an unclean stop, and their marks in charts. */
import { html } from './html.js';
import { since } from '../format.js';
import { frame } from '../store.js';

const NAMED = 3;

/** Shown for an hour after a start that followed an unclean stop; the server writes the sentences. */
export function UncleanStop() {
  const stop = frame.value.uncleanStop;
  return stop && html`<section class="unclean" aria-label="Unclean stop"><p>${stop.text}</p><p class="muted">${stop.known}</p></section>`;
}

/** A vertical line for each restart: where the figures end if the stop was unclean, else where they begin again. */
export function restartMarks(restarts = []) {
  return restarts.map(({ stoppedAt, startedAt, clean }) => ({ x: Date.parse(clean ? startedAt : stoppedAt) / 1000, label: clean ? 'restart' : 'unclean stop' }));
}

/** The same in words, for the sentence of a chart; empty if there was none. */
export function restartWords(restarts = []) {
  const last = restarts.slice(-NAMED).map(({ stoppedAt, startedAt, clean }) => (clean ? `restarted at ${since(startedAt)}` : `unclean stop at ${since(stoppedAt)}, started again at ${since(startedAt)}`));
  if (last.length === 0) return '';
  const more = restarts.length - last.length;
  const text = last.join('; ') + ' UTC';
  return ` ${text[0].toUpperCase()}${text.slice(1)}${more > 0 ? `, and ${more} before` : ''}.`;
}
