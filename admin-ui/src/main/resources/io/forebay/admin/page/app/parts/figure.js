/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A figure with its explanation, and a state with shape and word. */
import { counted, figure, number, UNKNOWN } from '../format.js';
import { worstKind } from '../store.js';
import { html } from './elements.js';

/** A figure; its explanation is shown on focus and hover (see why.js). `quiet` removes it from the tab order, for long tables. */
export function Fig({ fig, format = number, quiet = false }) {
  const text = figure(fig, format);
  const why = fig?.why ?? (text === UNKNOWN ? 'Not measured.' : undefined);
  if (why === undefined) return html`<span class="fig">${text}</span>`;
  return html`<span class="fig why" data-why=${why} tabindex=${quiet ? undefined : 0}
    >${text}<span class="vh"> (${why})</span></span
  >`;
}

const STATES = {
  keeping_up: 'Keeping up',
  refusing: 'Refusing messages',
  growing: 'Behind, growing',
  draining: 'Catching up',
  steady: 'Behind, steady',
  resuming: 'Behind, resuming',
  paused: 'Paused',
  waiting: 'Waiting for the database',
  waiting_for_lock: 'Waiting for a lock',
  failed: 'Failed',
  drained: 'Drained',
  starting: 'Starting',
  unknown: 'Unknown',
};

const SHAPES = { bad: '▲', watch: '●', fine: '✓' };

/** What is wrong with a service that keeps up, by the kind of its worst alert. */
const BUT = {
  waiting: 'waits for a lock',
  failing: 'statements failed',
  dead: 'has dead letters',
  database: 'workers are busy',
  burst: 'no room for a burst',
  loss: 'messages will be deleted',
};

/**
 * The state in words; a service that waits for messages that an operator may fail is not waiting for its database.
 * @param {string} [kind] the kind of its worst alert
 */
export function stateWord(state, blocking = 0, kind = undefined) {
  const { word, but } = stateWords(state, blocking, kind);
  return but ? `${word}, but ${but}` : word;
}

function stateWords(state, blocking, kind) {
  if (state === 'keeping_up' && BUT[kind]) return { word: STATES[state], but: BUT[kind] };
  if (state.startsWith('waiting') && blocking > 0) return { word: `Waiting for ${counted(blocking, 'message')}` };
  return { word: STATES[state] ?? state };
}

function shapeOf(severity, state) {
  if (state === 'paused') return '❚❚';
  if (state === 'unknown') return '?';
  return SHAPES[severity] ?? '?';
}

/** A paused service is not shown as if it were fine: it performs nothing. */
export const stateClass = (severity, state) => (state === 'paused' && severity === 'fine' ? 'state' : 'state ' + severity);

export const Shape = ({ severity, state }) =>
  html`<span class=${state === 'paused' && severity === 'fine' ? 'shape' : 'shape ' + severity} aria-hidden="true">${shapeOf(severity, state)}</span>`;

/** @param {any} [props.children] about this state, such as since when; what else is wrong with it may have begun later */
export function State({ severity, state, waitsFor = [], name, children }) {
  const { word, but } = stateWords(state, waitsFor.length, worstKind(name));
  return html`<span class=${stateClass(severity, state)}><${Shape} severity=${severity} state=${state} /> ${word}</span> ${children}${but && html`${children ? ' ' : ''}<span class=${stateClass(severity, state)}>but ${but}</span>`}`;
}

/** A bar with a mark; the text beside it has the same content. No bar for a figure that is unknown: an empty one would say none. */
export function Meter({ share, mark, tone = 'plain' }) {
  if (share === undefined) return null;
  const percent = (value) => Math.max(0, Math.min(1, value)) * 100 + '%';
  return html`<div class=${'meter ' + tone} aria-hidden="true">
    <div class="fill" style=${{ width: percent(share) }}></div>
    ${mark !== undefined && html`<div class="mark" style=${{ left: percent(mark) }}></div>`}
  </div>`;
}
