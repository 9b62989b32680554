/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The processes that share the system database, each with its services; shown as soon as there are two. */
import { html } from '../parts/html.js';
import { Fig, State } from '../parts/figure.js';
import { clock, counted, duration } from '../format.js';
import { frame } from '../store.js';

/** How many services of one instance are listed; they are sorted by urgency. */
const LISTED = 5;

function Service({ one }) {
  return html`<li><b>${one.name}</b> <${State} severity=${one.severity} state=${one.state} /> <span>behind <${Fig} fig=${one.behind} format=${duration} quiet /></span></li>`;
}

function Instance({ one }) {
  const more = one.services.length - LISTED;
  return html`<li data-instance=${one.name}>
    <div><b>${one.name}</b>${one.self ? ' (this one)' : ''} <small>${one.backend} · seen ${clock(one.seenAt)} UTC · ${counted(one.services.length, 'service')}</small></div>
    <ul>
      ${one.services.slice(0, LISTED).map((service) => html`<${Service} key=${service.name} one=${service} />`)}
      ${more > 0 && html`<li class="muted">and ${counted(more, 'less urgent service')}</li>`}
    </ul>
  </li>`;
}

export function Instances() {
  const instances = frame.value.instances ?? [];
  if (instances.length < 2) return null;
  return html`<section class="panel instances"><h2>${instances.length} instances</h2>
    <ul>${instances.map((one) => html`<${Instance} key=${one.name} one=${one} />`)}</ul>
  </section>`;
}
