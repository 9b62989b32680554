/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Groups of failed statements and dead letters; each opens to its list. A dialog shows the arguments of one. */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { api, path, post } from '../api.js';
import { bytes, count, since } from '../format.js';
import { serviceHref } from '../router.js';
import { ActionButton, openDialog } from './dialog.js';
import { Loaded, useLoad } from './load.js';
import { ReplayDialog } from './replay.js';
import { Rows, text } from './rows.js';
import { ValuesDialog } from './values.js';

const KINDS = { failed: 'failed', dead: 'dead' };

function askValues(id, kind) {
  openDialog(ValuesDialog, {
    id,
    load: async () => {
      const values = await post(path(`/failures/${encodeURIComponent(id)}/values`, { kind }));
      return { ...values, error: values.error ?? 'unknown' };
    },
  });
}

function List({ group }) {
  const query = { kind: group.kind, service: group.service, error: group.error, limit: 50 };
  const load = useLoad(path('/failures/list', query));
  const [more, setMore] = useState({ failures: [], next: undefined, problem: null });
  return html`<${Loaded} load=${load} what="the list">${(data) => {
    const next = more.next === undefined ? data.next : more.next;
    const ask = async () => {
      try {
        const page = await api(path('/failures/list', { ...query, before: next }));
        setMore({ failures: [...more.failures, ...page.failures], next: page.next, problem: null });
      } catch (problem) {
        setMore({ ...more, problem });
      }
    };
    const rows = [...data.failures, ...more.failures];
    const ofStatements = rows.some((row) => row.origin);
    return html`<${Rows} label=${`${group.error} of ${group.service}`} empty="All of them have been performed since." rows=${rows} key=${(row) => row.id}
        columns=${[
          { name: 'Id', head: true, cell: (row) => html`<code>${row.id}</code>` },
          ...(ofStatements ? [{ name: 'Statement', cell: (row) => html`<code>${text(row.origin?.statement)}</code>` }] : [{ name: 'Call', cell: (row) => html`<code>${text(row.messageId)}</code>` }]),
          { name: 'What', wrap: true, cell: (row) => row.detail },
          ...(ofStatements
            ? [
                { name: 'Caller', wrap: true, cell: (row) => text(row.origin?.client) },
                { name: 'Key', wrap: true, cell: (row) => html`<code>${text(row.origin?.key)}</code>` },
              ]
            : []),
          { name: 'At (UTC)', cell: (row) => html`<span class="nowrap">${since(row.at)}</span>` },
          { name: 'Size', number: true, cell: (row) => bytes(row.bytes) },
          { name: 'Replays', number: true, cell: (row) => text(row.replays) },
          { name: 'Values', cell: (row) => html`<${ActionButton} label=${`Show values… ${row.id}`} onClick=${() => askValues(row.id, group.kind)}>Show values…<//>` },
        ]} />
      ${more.problem && html`<p class="error">▲ ${more.problem.message}</p>`}
      ${next && html`<p class="buttons"><button type="button" onClick=${ask}>Older</button></p>`}`;
  }}<//>`;
}

function Group({ group, again, withService }) {
  const [open, setOpen] = useState(false);
  const title = `${group.error} of ${group.service}`;
  return html`<section class="group panel" data-row>
    <div class="group-head">
      <b class="many">${count(group.count)}${group.countCapped ? '+' : ''}</b>
      <div class="what"><p><span class="tag">${KINDS[group.kind] ?? group.kind}</span> <b><code>${group.error}</code></b> ${group.text}</p>
        <p class="muted">${withService && html`<a href=${serviceHref(group.service, { t: 'failed' })}>${group.service}</a>${' · '}`}${since(group.first)} – ${since(group.last)} UTC${group.replayed > 0 ? ` · ${count(group.replayed)} replayed before` : ''}</p></div>
      <div class="do">
        <button type="button" aria-expanded=${open} aria-label=${`List: ${title}`} onClick=${() => setOpen(!open)}>List</button>
        <span data-replay-of=${group.id}><${ActionButton} label=${`Replay… ${title}`} onClick=${() => openDialog(ReplayDialog, { group, again })}>Replay…<//></span>
      </div>
    </div>
    ${open && html`<${List} group=${group} />`}
  </section>`;
}

/** @param {{service?: string, kind?: string, from?: string}} props filters; each is optional */
export function FailureGroups({ service, kind, from = '-24h' }) {
  const load = useLoad(path('/failures', { kind, service, from }), 15);
  return html`<${Loaded} load=${load} what="the failures">${({ groups }) =>
    groups.length === 0
      ? html`<div class="panel empty"><p>✓ No failures in this time.</p><p class="muted">Statements that the database refused and messages that a service gave up appear here.</p></div>`
      : groups.map((group) => html`<${Group} key=${group.id} group=${group} again=${load.again} withService=${!service} />`)}<//>`;
}
