/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Keys. Single keys can be switched off. No key acts during typing or while a dialog is open. */
import { html } from './parts/html.js';
import { askPauseOrResume } from './actions.js';
import { isPast } from './parts/at.js';
import { closeDialog, Dialog, openDialog } from './parts/dialog.js';
import { openGoTo } from './parts/goto.js';
import { visiblePlaces } from './places.js';
import { go, href, route } from './router.js';
import { may, serviceSignal, tell } from './store.js';
import { asTables, singleKeys } from './theme.js';
import { shiftRange, zoomRange } from './parts/range.js';

const LIST = [
  ['/', 'filter the table'],
  ['Ctrl K', 'go to a service, a screen or an action'],
  ['g, then s j t d a', 'Services, Jobs, Storage, Failed, Alerts; also q, u, y, e, m: Messages, Audit, Try, Setup, Users'],
  ['↑ ↓ or j k', 'row'],
  ['Enter', 'open the row'],
  ['p', 'pause or resume the row or the service'],
  ['r', 'plan the replay of the focused group, or of the first one'],
  ['[ ]', 'earlier, later time range'],
  ['+ −', 'shorter, longer time range'],
  ['t', 'tables instead of charts'],
  ['← →', 'cursor in a chart that has the focus'],
  ['c', 'copy the link'],
  ['?', 'this list'],
  ['Esc', 'close'],
];

function Keys() {
  return html`<${Dialog} title="Keys">
    <dl class="keys">${LIST.map(([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${singleKeys.value === 'on'}
      onChange=${(event) => (singleKeys.value = event.target.checked ? 'on' : 'off')} /> Single-key shortcuts are on</label>
    <div class="buttons"><button type="button" data-first onClick=${closeDialog}>Close</button></div>
  <//>`;
}

export const openKeys = () => openDialog(Keys, {});

export const copyLink = () => copy(location.href, 'link');

/** Puts a text on the clipboard; `what` names it. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`The ${what} is copied.`);
  } catch {
    tell(`The browser does not allow copying; here is the ${what}: ${text}`);
  }
}

/** The service that p and Enter act on: that of the focused row, otherwise that of the screen. */
function currentService() {
  const name = document.activeElement?.closest('[data-service]')?.dataset.service ?? (route.peek().parts[0] === 'services' ? route.peek().parts[1] : null);
  return name && serviceSignal(name)?.peek();
}

function moveRow(step) {
  const rows = [...document.querySelectorAll('main [data-row]')];
  const here = rows.indexOf(document.activeElement?.closest('[data-row]'));
  const row = rows[here < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, here + step))];
  row?.querySelector('a, button, summary')?.focus();
  return Boolean(row);
}

const SINGLE = {
  '/': () => document.querySelector('main [data-filter]')?.focus(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  ArrowDown: () => document.activeElement?.closest('[data-row]') && moveRow(1),
  ArrowUp: () => document.activeElement?.closest('[data-row]') && moveRow(-1),
  p: () => {
    const service = currentService();
    if (service && may('operator') && !isPast()) askPauseOrResume(service);
  },
  r: () => (document.activeElement?.closest('[data-row]') ?? document).querySelector('[data-replay-of] button')?.click(),
  '[': () => shiftRange(-1),
  ']': () => shiftRange(1),
  '+': () => zoomRange(0.5),
  '-': () => zoomRange(2),
  t: () => (asTables.value = !asTables.value),
  c: copyLink,
  '?': openKeys,
};

let afterG = 0;

function key(event) {
  if (event.defaultPrevented) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    if (!document.querySelector('dialog[open]')) openGoTo();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || singleKeys.value !== 'on') return;
  if (event.target.closest('input:not([type=checkbox]):not([type=radio]), textarea, select, dialog')) return;
  if (Date.now() - afterG < 1500) {
    afterG = 0;
    const screen = visiblePlaces().find((one) => one.key === event.key);
    if (screen) {
      event.preventDefault();
      go(href(screen.path));
      return;
    }
  }
  if (event.key === 'g') afterG = Date.now();
  const act = SINGLE[event.key];
  if (!act) return;
  if (act() !== null && !event.key.startsWith('Arrow')) event.preventDefault();
  else if (document.activeElement?.closest('[data-row]')) event.preventDefault();
}

export function startKeys() {
  document.addEventListener('keydown', key);
}
