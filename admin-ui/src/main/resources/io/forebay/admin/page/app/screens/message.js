/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One message in full, beside the list. */
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../parts/html.js';
import { post } from '../api.js';
import { bytes, count, counted, duration, UNKNOWN } from '../format.js';
import { ActionButton, openDialog } from '../parts/dialog.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows } from '../parts/rows.js';
import { ValuesDialog } from '../parts/values.js';
import { href, route, serviceHref } from '../router.js';

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

const micros = (value) => duration(value / 1e6);

/** Where the time of the message went, a line per service. */
function History({ hops }) {
  return html`<h3>History</h3><${Rows} label="History" rows=${hops} columns=${[
    { name: 'Service', head: true, wrap: true, cell: (hop) => html`<a href=${serviceHref(hop.service)}>${hop.service}</a>` },
    { name: 'Waited', number: true, cell: (hop) => micros(hop.waitingMicros) },
    { name: 'Performed', number: true, cell: (hop) => micros(hop.performingMicros) },
    { name: 'Answered', number: true, cell: (hop) => micros(hop.answeringMicros) },
  ]} />`;
}

function Fields({ message, queue, address }) {
  const code = (value) => html`<code>${value}</code>`;
  const fields = [
    ['Position', count(message.position)],
    ['Partition', message.partition],
    ['Time', message.time],
    ['Id', message.id && code(message.id)],
    ['Client', message.client && code(message.client)],
    ['Key', message.key && code(message.key)],
    ['Replay of', message.replayOf && code(message.replayOf)],
    ['Perform by', message.deliverBy],
    ['Source', message.source !== undefined && (queue.calls ? html`<a href=${messagesHref(queue.calls, { at: `${message.partition}.${message.source}`, id: message.id })}>${queue.calls} ${count(message.source)}</a>` : count(message.source))],
    ['Kind', message.kind],
    ['Statement', message.statement && code(several(message.statement))],
    ['Method', message.method && code(several(message.method))],
    ['Error', message.error && code(message.error)],
    ['Cannot be read', message.reason],
    ['Size', bytes(message.bytes)],
    ['Arguments', message.argumentCount !== undefined && `${counted(message.argumentCount, 'value')}, hidden`],
  ].filter(([, value]) => value !== undefined && value !== null && value !== false);
  return html`<dl class="fields">${fields.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${message.history && html`<${History} hops=${message.history} />`}
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
