/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What blocks partitions of a service until an operator decides: a message that fails repeatedly, or damage. */
import { html } from '../parts/html.js';
import { askFailMessage, askSetAside } from '../actions.js';
import { count, since } from '../format.js';
import { ActionButton } from '../parts/dialog.js';
import { Shape } from '../parts/figure.js';

const Facts = ({ of }) => html`<dl class="facts">${of.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

function Waits({ name, one }) {
  const { partition, message } = one;
  return html`<section class="panel blocked" aria-label=${`Partition ${partition} waits for one message`}>
    <h2><${Shape} severity="watch" /> Partition ${partition} waits for one message</h2>
    <${Facts} of=${[['Position', message.position], ['Since', since(message.since) + ' UTC'], ['Attempts', count(message.attempts)], ['Reason', message.reason]]} />
    <p class="muted">Failed attempts are retried. A call that still waits for its result is not repeated. Later messages of the partition wait.</p>
    <div class="buttons"><${ActionButton} onClick=${() => askFailMessage(name, one)}>Fail this message…<//></div>
  </section>`;
}

function Damaged({ name, one }) {
  const { partition, queue, damage } = one;
  return html`<section class="panel blocked" aria-label=${`The ${queue}-queue of partition ${partition} is damaged`}>
    <h2><${Shape} severity="bad" /> The ${queue}-queue of partition ${partition} is damaged</h2>
    <${Facts} of=${[['Position', damage.position], ['Found', since(damage.since) + ' UTC'], ['Damage', damage.what]]} />
    ${damage.setAsideNext
      ? html`<p>The damaged files are set aside at the next start: restart Forebay.</p>`
      : html`<p class="muted">The partition accepts nothing, and performs nothing after this position, until you decide.</p>
        <div class="buttons"><${ActionButton} role="admin" onClick=${() => askSetAside(name, one)}>Set aside damaged messages…<//></div>`}
  </section>`;
}

export function Blocked({ service }) {
  const { name, waitsFor, damaged } = service;
  return html`${damaged.map((one) => html`<${Damaged} key=${`d${one.partition}${one.queue}`} name=${name} one=${one} />`)}
    ${waitsFor.map((one) => html`<${Waits} key=${`w${one.partition}`} name=${name} one=${one} />`)}`;
}
