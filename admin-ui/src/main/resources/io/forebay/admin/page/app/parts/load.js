/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Requests of a screen: sent when it opens and when the request changes, and repeated if wanted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';
import { api } from '../api.js';
import { link } from '../store.js';

/** A screen asks again after this time if something is unavailable, as a queue that is being searched. */
const RETRY_MILLIS = 3000;

/**
 * Loads the JSON at an address. Old data stay while new ones are on their way.
 * @param {string|null} address null: ask nothing
 * @param {number|((data: object|null, answers: number) => number)} everySeconds how soon it is asked again while the page is visible; 0: never. A function is given the last data and the number of answers, and must stay the same
 */
export function useLoad(address, everySeconds = 0) {
  const [state, setState] = useState({ data: null, problem: null, address: null });
  const [turn, setTurn] = useState(0);
  const asked = useRef(null);
  const back = link.value.state === 'live';
  useEffect(() => {
    if (address === null) return undefined;
    const control = new AbortController();
    let next;
    let last = null;
    let answers = 0;
    const later = (seconds) => (next = setTimeout(() => (document.visibilityState === 'visible' ? ask() : later(seconds)), seconds * 1000));
    const ask = async () => {
      try {
        last = await api(address, { signal: control.signal });
        setState({ data: last, problem: null, address });
      } catch (problem) {
        if (problem.name === 'AbortError') return;
        setState((before) => ({ ...before, problem }));
        if (problem.status === 503 && !everySeconds) next = setTimeout(ask, RETRY_MILLIS);
      }
      if (control.signal.aborted || !everySeconds) return;
      later(typeof everySeconds === 'function' ? everySeconds(last, ++answers) : everySeconds);
    };
    asked.current = address;
    ask();
    return () => {
      control.abort();
      clearTimeout(next);
    };
  }, [address, everySeconds, turn, back]);
  return { data: state.data, problem: state.problem, fresh: state.address === address, again: () => setTurn((before) => before + 1) };
}

/** Shown in place of the data: a waiting line, a problem with a retry, or the children. */
export function Loaded({ load, what, children }) {
  if (load.data) {
    return html`${load.problem && html`<p class="error" role="status">▲ Could not refresh: ${load.problem.message}</p>`}${children(load.data)}`;
  }
  if (!load.problem) return html`<p class="muted waiting">Waiting for ${what}…</p>`;
  return html`<div class="panel problem" role="alert">
    <p>▲ ${load.problem.status === 403 ? 'Not allowed: ' : ''}${load.problem.message}</p>
    <button type="button" onClick=${load.again}>Try again</button>
  </div>`;
}
