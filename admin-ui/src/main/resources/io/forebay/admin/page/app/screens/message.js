/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One message in full, beside the list. */
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../parts/html.js';
import { post } from '../api.js';
import { bytes, count, counted, duration, moment, UNKNOWN } from '../format.js';
import { ActionButton, openDialog } from '../parts/dialog.js';
import { Loaded, useLoad } from '../parts/load.js';
import { text } from '../parts/rows.js';
import { ValuesDialog } from '../parts/values.js';
import { href, route } from '../router.js';

export const messagesHref = (queue, query) => href('/messages/' + encodeURIComponent(queue), query);

const several = (value) => (Array.isArray(value) ? value.join(', ') : value);

/** The statement of a message, or the method of its call. */
export const what = (message) => several(message.statement ?? message.method) ?? UNKNOWN;

function askValues(address, queue, message) {
  openDialog(ValuesDialog, {
    id: `${queue.name} ${message.partition}/${message.position}`,
    role: 'admin',
    load: async () => {
      const shown = await post(address + '/values');
      return {
        error: shown.failure,
        calls: shown.arguments ? [{ method: what(shown), arguments: shown.arguments }] : [{ method: what(shown), arguments: [] }],
        bytes: shown.hex,
        cut: shown.cut,
      };
    },
  });
}

const STEPS = [
  ['waiting', 'waited'],
  ['performing', 'performed in'],
  ['answering', 'answered after'],
];

/** Clocks of two processes may differ, so a time may be before the one that it follows. */
const micros = (value) => (value < 0 ? '−' : '') + duration(Math.abs(value) / 1e6);

const stamp = (instant) => `${moment(instant)}:${instant.slice(17, 19)}`;

export const messageKey = (message) => `${message.partition}.${message.position}`;

/** The columns of a list of messages; the first one opens a message beside it. @param {{path: string, query: object}} at the address of the list */
export const messageColumns = ({ path, query }, partitions) => [
  { name: 'Position', head: true, cell: (one) => html`<a href=${href(path, { ...query, at: messageKey(one) })} aria-current=${query.at === messageKey(one) ? 'true' : undefined}>${count(one.position)}</a>` },
  ...(partitions > 1 ? [{ name: 'Partition', number: true, cell: (one) => one.partition }] : []),
  { name: 'Time (UTC)', cell: (one) => (one.time ? html`<span class="nowrap" title=${one.time}>${stamp(one.time)}</span>` : UNKNOWN) },
  { name: 'Kind', cell: (one) => html`<span class="tag">${one.kind}</span>` },
  { name: 'Statement or method', wrap: true, cell: (one) => html`<code>${what(one)}</code>${one.error && html` <small class="bad">${one.error}</small>`}` },
  { name: 'Key', wrap: true, cell: (one) => html`<code>${text(one.key)}</code>` },
  { name: 'Size', number: true, cell: (one) => bytes(one.bytes) },
];

function Fields({ message, queue, address }) {
  const code = (value) => html`<code>${value}</code>`;
  const fields = [
    ['Position', count(message.position)],
    ['Partition', message.partition],
    ['Time', message.time],
    ['Id', message.id && code(message.id)],
    ['Client', message.client && code(message.client)],
    ['Key', message.key && code(message.key)],
    ['Replay of', message.replayOf && html`<a href=${messagesHref(queue.calls ?? queue.name, { id: message.replayOf })}>${code(message.replayOf)}</a>`],
    ['Rows', message.rows !== undefined && count(message.rows)],
    ['Perform by', message.deliverBy],
    ['Source', message.source !== undefined && (queue.calls ? html`<a href=${messagesHref(queue.calls, { partition: message.partition, before: message.source + 1, at: `${message.partition}.${message.source}` })}>${queue.calls} ${count(message.source)}</a>` : count(message.source))],
    ['History', message.history && message.history.map((hop) => html`<div key=${hop.service} data-hop=${hop.service}>${hop.service}: ${STEPS.map(([name, verb]) => `${verb} ${micros(hop[name + 'Micros'])}`).join(', ')}</div>`)],
    ['Kind', message.kind],
    ['Statement', message.statement && code(several(message.statement))],
    ['Method', message.method && code(several(message.method))],
    ['Error', message.error && code(message.error)],
    ['Cannot be read', message.reason],
    ['Size', bytes(message.bytes)],
    ['Arguments', message.argumentCount !== undefined && `${counted(message.argumentCount, 'value')}, hidden`],
  ].filter(([, value]) => value !== undefined && value !== null && value !== false);
  return html`<dl class="fields">${fields.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    <p class="buttons">
      ${queue.answers && message.id && html`<a class="button" href=${messagesHref(queue.answers, { id: message.id })}>Find its answer</a>`}
      <${ActionButton} role="admin" onClick=${() => askValues(address, queue, message)}>Show values…<//>
    </p>`;
}

/** @param {{queue: {name: string, calls?: string, answers?: string}, at: string}} props `at` is partition.position */
export function Message({ queue, at }) {
  const [partition, position] = at.split('.');
  const address = `/queues/${encodeURIComponent(queue.name)}/messages/${encodeURIComponent(partition)}/${encodeURIComponent(position)}`;
  const load = useLoad(address);
  const heading = useRef(null);
  useEffect(() => heading.current?.focus(), []);
  const { path, query } = route.value;
  return html`<section class="panel detail" aria-labelledby="message">
    <div class="head"><h2 id="message" ref=${heading} tabindex="-1">Message ${count(Number(position))}</h2><a class="button" href=${href(path, { ...query, at: '' })}>Close</a></div>
    <${Loaded} load=${load} what="the message">${(message) => html`<${Fields} message=${message} queue=${queue} address=${address} />`}<//>
  </section>`;
}
