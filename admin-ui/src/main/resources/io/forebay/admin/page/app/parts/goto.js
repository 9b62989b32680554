/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Ctrl-K: a list of all services, screens and their actions, filtered while typing. */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { askPauseOrResume, isPaused } from '../actions.js';
import { visiblePlaces } from '../places.js';
import { go, href, serviceHref } from '../router.js';
import { serviceNames, serviceSignal } from '../store.js';
import { barred, closeDialog, Dialog, openDialog } from './dialog.js';
import { openPassword } from './password.js';

const MOST = 12;

function targets() {
  const screens = visiblePlaces().map((screen) => ({
    text: screen.name,
    kind: 'screen',
    act: () => go(href(screen.path)),
  }));
  const services = serviceNames.peek().map((name) => ({ text: name, kind: 'service', act: () => go(serviceHref(name)) }));
  const actions = barred('operator')
    ? []
    : serviceNames.peek().map((name) => {
        const service = serviceSignal(name).peek();
        return { text: `${isPaused(service) ? 'Resume' : 'Pause'} ${name}…`, kind: 'action', act: () => askPauseOrResume(service) };
      });
  return [...screens, ...services, ...actions, { text: 'Change your password…', kind: 'action', act: openPassword }];
}

function GoTo() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = targets()
    .filter((target) => target.text.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, MOST);
  const chosen = Math.min(at, found.length - 1);
  const take = (target) => {
    closeDialog();
    setTimeout(() => target.act());
  };
  const key = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt(Math.max(0, Math.min(found.length - 1, chosen + step)));
    else if (event.key === 'Enter' && found[chosen]) take(found[chosen]);
    else return;
    event.preventDefault();
  };
  return html`<${Dialog} title="Go to">
    <label class="vh" for="goto">Service, screen or action</label>
    <input id="goto" data-first type="search" placeholder="Service, screen or action" autocomplete="off" value=${text} role="combobox"
      aria-expanded="true" aria-controls="goto-list" aria-activedescendant=${found.length ? 'goto-' + chosen : undefined}
      onInput=${(event) => { setText(event.target.value); setAt(0); }} onKeyDown=${key} />
    <ul id="goto-list" class="options" role="listbox" aria-label="Found">
      ${found.map(
        (target, i) => html`<li key=${target.kind + target.text} id=${'goto-' + i} role="option" aria-selected=${i === chosen}
          onClick=${() => take(target)}><span>${target.text}</span> <small>${target.kind}</small></li>`,
      )}
    </ul>
    ${found.length === 0 && html`<p class="muted">No match</p>`}
    <div class="buttons"><button type="button" onClick=${closeDialog}>Close</button></div>
  <//>`;
}

export const openGoTo = () => openDialog(GoTo, {});
