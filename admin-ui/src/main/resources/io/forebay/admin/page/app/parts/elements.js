/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The elements of every screen: templates, data that are loaded, tables, choices, and the tooltips of [data-why]. */
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import htm from 'htm';
import { api, path } from '../api.js';
import { UNKNOWN } from '../format.js';
import { link } from '../store.js';

export const html = htm.bind(h);

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
    ask();
    return () => {
      control.abort();
      clearTimeout(next);
    };
  }, [address, everySeconds, turn, back]);
  return { data: state.data, problem: state.problem, fresh: state.address === address, again: () => setTurn((before) => before + 1) };
}

const NO_OLDER = { rows: [], next: undefined, problem: null };

/** Loads a list by pages, the newest first. `again` begins with the first one, and `older` is the button for the next one. @param {string} field the rows of an answer, which also has `next` */
export function usePages(base, query, field) {
  const address = path(base, query);
  const load = useLoad(address);
  const [more, setMore] = useState(NO_OLDER);
  useEffect(() => setMore(NO_OLDER), [address]);
  const next = more.next === undefined ? load.data?.next : more.next;
  const ask = async () => {
    try {
      const page = await api(path(base, { ...query, before: next }));
      setMore({ rows: [...more.rows, ...page[field]], next: page.next, problem: null });
    } catch (problem) {
      setMore({ ...more, problem });
    }
  };
  const again = () => {
    setMore(NO_OLDER);
    load.again();
  };
  const older = html`${more.problem && html`<p class="error">▲ ${more.problem.message}</p>`}${next && html`<p class="buttons"><button type="button" onClick=${ask}>Older</button></p>`}`;
  return { ...load, again, older, rows: [...(load.data?.[field] ?? []), ...more.rows] };
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

/** A value of unknown type as text. */
export function text(value) {
  if (value === null || value === undefined || value === '') return UNKNOWN;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * @param {{label: string, rows: any[], empty: string, key?: Function,
 *   columns: {name: string, cell: Function, head?: boolean, number?: boolean, wrap?: boolean}[]}} props
 */
export function Rows({ label, rows, columns, empty, key: keyOf = (row, i) => i }) {
  if (rows.length === 0) return html`<p class="muted">${empty}</p>`;
  const kind = (column) => (column.number ? 'n nowrap' : column.wrap ? 'wrap' : '');
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table class="plain" role="table">
      <thead role="rowgroup"><tr role="row">${columns.map((column) => html`<th key=${column.name} role="columnheader" scope="col" class=${column.number ? 'n' : ''}>${column.name || html`<span class="vh">Action</span>`}</th>`)}</tr></thead>
      <tbody role="rowgroup">${rows.map((row, i) => html`<tr key=${keyOf(row, i)} role="row" data-row>
        ${columns.map((column) => (column.head ? html`<th role="rowheader" scope="row" class=${kind(column)}>${column.cell(row)}</th>` : html`<td role="cell" class=${kind(column)} data-label=${column.name}>${column.cell(row)}</td>`))}
      </tr>`)}</tbody>
    </table>
  </div>`;
}

/** @param {{label: string, value: string, options: [string, string][], set: (value: string) => void}} props */
export function Select({ label, value, options, set }) {
  return html`<label>${label}
    <select value=${value} onChange=${(event) => set(event.target.value)}>
      ${options.map(([id, text]) => html`<option key=${id} value=${id} selected=${id === value}>${text}</option>`)}
    </select></label>`;
}

const box = document.createElement('div');
box.id = 'why';
box.hidden = true;
box.setAttribute('role', 'tooltip');

let shown = null;

function show(element) {
  shown = element;
  box.textContent = element.dataset.why;
  const host = element.closest('dialog') ?? document.body;
  if (box.parentNode !== host) host.append(box);
  box.hidden = false;
  const at = element.getBoundingClientRect();
  const width = box.offsetWidth;
  box.style.left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8)) + 'px';
  const below = at.bottom + 6;
  box.style.top = (below + box.offsetHeight > innerHeight ? at.top - box.offsetHeight - 6 : below) + 'px';
}

function hide() {
  shown = null;
  box.hidden = true;
}

export function startWhy() {
  document.body.append(box);
  const near = (event) => event.target.closest?.('[data-why]');
  document.addEventListener('pointerover', (event) => {
    const element = near(event);
    if (element) show(element);
    else if (shown && !box.contains(event.target)) hide();
  });
  document.addEventListener('focusin', (event) => {
    const element = near(event);
    if (element) show(element);
    else if (shown) hide();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !shown) return;
    hide();
    event.preventDefault();
    event.stopPropagation();
  }, true);
  addEventListener('scroll', hide, { passive: true });
}

