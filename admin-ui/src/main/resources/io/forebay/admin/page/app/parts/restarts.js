/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Restarts of this instance: the line on the home page after an unclean stop, and their marks in charts. */
import { html } from './html.js';
import { since } from '../format.js';
import { href, route } from '../router.js';
import { frame } from '../store.js';

const NAMED = 3;

/** Shown for an hour after a start that followed an unclean stop; the server writes the sentences. */
export function UncleanStop() {
  const stop = frame.value.uncleanStop;
  return stop && html`<section class="unclean" aria-label="Unclean stop"><p>${stop.text} <a href=${href('/', { at: stop.stoppedAt })}>What it looked like then</a></p>
    <details><summary>How this is known</summary><p class="muted">${stop.known}</p></details></section>`;
}

/** A vertical line for each restart: where the figures end if the stop was unclean, else where they begin again. */
export function restartMarks(restarts = []) {
  return restarts.map(({ stoppedAt, startedAt, clean }) => ({ x: Date.parse(clean ? startedAt : stoppedAt) / 1000, label: clean ? 'restart' : 'unclean stop' }));
}

/** The restarts as links to the last moment before each. */
export function RestartLinks({ restarts = [] }) {
  const { path, query } = route.value;
  return restarts.length > 0 && html`<p class="muted">Before ${restarts.slice(-NAMED).map(({ stoppedAt, clean }, i) => html`${i > 0 && ', '}<a class="in-text" href=${href(path, { ...query, at: stoppedAt, from: '', to: '' })}>the ${clean ? 'restart' : 'unclean stop'} at ${since(stoppedAt)} UTC</a>`)}</p>`;
}

/** The same in words, for the sentence of a chart; empty if there was none. */
export function restartWords(restarts = []) {
  const last = restarts.slice(-NAMED).map(({ stoppedAt, startedAt, clean }) => (clean ? `restarted at ${since(startedAt)}` : `unclean stop at ${since(stoppedAt)}, started again at ${since(startedAt)}`));
  if (last.length === 0) return '';
  const more = restarts.length - last.length;
  const text = last.join('; ') + ' UTC';
  return ` ${text[0].toUpperCase()}${text.slice(1)}${more > 0 ? `, and ${more} before` : ''}.`;
}
