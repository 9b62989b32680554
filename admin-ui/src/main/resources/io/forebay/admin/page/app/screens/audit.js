/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Who did what, newest first (?actor=&action=). An entry is written before the effect; the result is a separate entry. */
import { second, UNKNOWN } from '../format.js';
import { html, Loaded, Rows, text, usePages } from '../parts/elements.js';
import { route, view } from '../router.js';

/** A token may have the name of a user. */
const KINDS = { user: 'user', token: 'token', oidc: 'of the OpenID provider', application: 'of the application' };

/** "state: running → paused". @param {{name: string, before: string, after: string}} field */
export const changeLine = ({ name, before, after }) => `${name}: ${before || 'none'} → ${after || 'none'}`;

const COLUMNS = [
  { name: 'At (UTC)', head: true, cell: (entry) => html`<span class="nowrap" title=${entry.at}>${second(entry.at)}</span>` },
  { name: 'Who', cell: (entry) => html`${text(entry.actor)} <small>${[KINDS[entry.kind], entry.role].filter(Boolean).join(', ')}</small>` },
  { name: 'Action', cell: (entry) => html`<code>${text(entry.action)}</code>` },
  { name: 'Target', wrap: true, cell: (entry) => text(entry.target) },
  { name: 'Change', wrap: true, cell: (entry) => entry.changes?.map((field) => html`<div key=${field.name}>${changeLine(field)}</div>`) ?? UNKNOWN },
  { name: 'Reason', wrap: true, cell: (entry) => text(entry.reason) },
  { name: 'Outcome', wrap: true, cell: (entry) => text(entry.outcome) },
  { name: 'Address', cell: (entry) => text(entry.address) },
  { name: 'Number', number: true, cell: (entry) => text(entry.id) },
];

function Filter({ name, label, value }) {
  return html`<label>${label} <input type="search" value=${value} onChange=${(event) => view({ [name]: event.target.value.trim() })} /></label>`;
}

export function AuditScreen() {
  const { actor = '', action = '' } = route.value.query;
  const load = usePages('/audit', { actor, action, limit: 100 }, 'entries');
  return html`<div class="head"><h1>Audit</h1>
      <div class="filters"><${Filter} name="actor" label="Who" value=${actor} /><${Filter} name="action" label="Action" value=${action} />
        <button type="button" onClick=${load.again}>Refresh</button></div></div>
    <${Loaded} load=${load} what="the audit">${() => html`
      <div class="panel cards"><${Rows} label="Audit, newest first" rows=${load.rows} key=${(entry) => entry.id} columns=${COLUMNS} empty="No match" /></div>
      ${load.older}`}<//>`;
}
