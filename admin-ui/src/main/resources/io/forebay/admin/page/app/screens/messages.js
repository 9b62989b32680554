/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Queues (?service=), the messages of one (/messages/{queue}?partition=&before=&id=&key=&at=), and one message in full beside them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, path, post } from '../api.js';
import { bytes, count, counted, duration, second, UNKNOWN } from '../format.js';
import { ActionButton, openDialog } from '../parts/dialog.js';
import { html, Loaded, Rows, Select, text, useLoad } from '../parts/elements.js';
import { ValuesDialog } from '../parts/values.js';
import { href, route, serviceHref, view } from '../router.js';

const messagesHref = (queue, query) => href('/messages/' + encodeURIComponent(queue), query);

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

const messageKey = (message) => `${message.partition}.${message.position}`;

/** The columns of a list of messages; the first one opens a message beside it. @param {{path: string, query: object}} at the address of the list */
const messageColumns = ({ path, query }, partitions) => [
  { name: 'Position', head: true, cell: (one) => html`<a href=${href(path, { ...query, at: messageKey(one) })} aria-current=${query.at === messageKey(one) ? 'true' : undefined}>${count(one.position)}</a>` },
  ...(partitions > 1 ? [{ name: 'Partition', number: true, cell: (one) => one.partition }] : []),
  { name: 'Time (UTC)', cell: (one) => (one.time ? html`<span class="nowrap" title=${one.time}>${second(one.time)}</span>` : UNKNOWN) },
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
    ['Perform by', message.deliverBy],
    ['Source', message.source !== undefined && (queue.calls ? html`<a href=${messagesHref(queue.calls, { partition: message.partition, before: message.source + 1, at: `${message.partition}.${message.source}` })}>${queue.calls} ${count(message.source)}</a>` : count(message.source))],
    ['History', message.history && message.history.map((hop) => html`<div key=${hop.service} data-hop=${hop.service}>${hop.service}: ${STEPS.map(([name, verb]) => `${verb} ${micros(hop[name + 'Micros'])}`).join(', ')}</div>`)],
    ['Kind', message.kind],
    ['Statement', message.statement && code(several(message.statement))],
    ['Method', message.method && code(several(message.method))],
    ['Error', message.error && code(message.error)],
    ['Cannot be read', message.reason],
    ['Size', bytes(message.bytes)],
    ['Arguments', message.method && 'hidden'],
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

const sum = (partitions, field) => partitions.reduce((all, one) => all + (one[field] ?? NaN), 0);

/** Transactions of Kafka also take positions. */
const held = ({ partitions }) => (partitions.some((one) => 'messagesAtMost' in one) ? `≤ ${count(sum(partitions, 'messagesAtMost'))}` : count(sum(partitions, 'messages')));

function List() {
  const load = useLoad('/queues');
  const { service } = route.value.query;
  const of = ({ queues }) => {
    const read = queues.filter(({ queue }) => queue.service === service);
    return service ? queues.filter((one) => read.includes(one) || read.some(({ queue }) => queue.answers === one.queue.name)) : queues;
  };
  return html`<div class="head"><h1>Messages${service && html` of ${service}`}</h1><div class="buttons">${service && html`<a class="button" href="/admin/messages">All queues</a>`}<button type="button" onClick=${load.again}>Refresh</button></div></div>
    <p class="muted">Reading a queue does not disturb its service. Arguments and values are hidden.</p>
    <${Loaded} load=${load} what="the queues">${(data) => html`
      <div class="panel"><${Rows} label="Queues" rows=${of(data)} key=${(one) => one.queue.name} empty=${service ? 'This service has no queues.' : 'This process has no queues.'} columns=${[
        { name: 'Queue', head: true, wrap: true, cell: ({ queue }) => html`<a href=${messagesHref(queue.name)}>${queue.name}</a>` },
        { name: 'Service', wrap: true, cell: ({ queue }) => (queue.service ? html`<a href=${serviceHref(queue.service)}>${queue.service}</a>` : UNKNOWN) },
        { name: 'Partitions', number: true, cell: ({ queue }) => count(queue.partitions) },
        { name: 'Messages', number: true, cell: held },
        { name: 'Size', number: true, cell: ({ partitions }) => bytes(sum(partitions, 'bytes')) },
      ]} /></div>`}<//>`;
}

const LIMIT = 50;

const address = (name, query) => path(`/queues/${encodeURIComponent(name)}/messages`, { ...query, limit: LIMIT });

function Filter({ name, label, value, hint }) {
  return html`<label>${label} <input type="search" value=${value} placeholder=${hint} spellcheck="false" autocomplete="off"
    onChange=${(event) => view({ before: '', at: '', ...(name === 'before' ? { id: '', key: '' } : {}), [name]: event.target.value.trim() })} /></label>`;
}

/** The newest messages before a position. */
function Page({ name, query, load }) {
  const { partition = '0', before = '' } = query;
  const to = (position) => href(route.value.path, { partition, before: position });
  return html`<${Loaded} load=${load} what="the messages">${(page) => html`<section class="panel messages">
    <div class="head"><p class="muted" role="status">${counted(page.messages.length, 'message')}, newest first; the partition has positions ${count(page.first)} to ${count(page.end)}.</p>
      <div class="buttons">
        ${before && html`<a class="button" href=${to('')}>Newest</a>`}
        ${page.before < page.end ? html`<a class="button" href=${to(Math.min(page.end, page.before + LIMIT))}>Newer</a>` : html`<button type="button" onClick=${load.again}>Refresh</button>`}
      </div></div>
    <${Rows} label=${`Messages of ${name}, newest first`} rows=${page.messages} key=${messageKey} columns=${messageColumns(route.value, page.queue.partitions)} empty=${page.end > page.first ? 'No messages at these positions' : 'The partition has no messages.'} />
    ${page.begin > page.first && html`<p class="buttons"><a class="button" href=${to(page.begin)}>Older</a></p>`}
  </section>`}<//>`;
}

/** Searches each partition from its newest message back to its first one. */
function useSearch(name, id, key) {
  const [state, setState] = useState(null);
  useEffect(() => {
    const control = new AbortController();
    const search = async () => {
      const rows = [];
      let looked = 0;
      for (let partition = 0, partitions = 1; partition < partitions; partition++) {
        for (let before = '', first = -1; before !== first; ) {
          const page = await api(address(name, { partition, before, id, key }), { signal: control.signal });
          partitions = page.queue.partitions;
          rows.push(...page.messages);
          looked += page.before - page.begin;
          before = page.begin;
          first = page.first;
          setState({ rows: [...rows], looked, partitions, running: true });
        }
      }
      setState((last) => ({ ...last, running: false }));
    };
    setState(null);
    search().catch((problem) => control.signal.aborted || setState((last) => ({ rows: [], looked: 0, ...last, running: false, problem })));
    return () => control.abort();
  }, [name, id, key]);
  return state;
}

function Search({ name, id, keyText }) {
  const state = useSearch(name, id, keyText);
  if (!state) return html`<p class="panel muted" role="status">Searching…</p>`;
  const { rows, looked, partitions, running, problem } = state;
  return html`<section class="panel messages">
    <p class="muted" role="status">${running ? 'Searching' : 'Searched'} ${counted(looked, 'position')}${running ? ', from the newest back…' : ''}</p>
    ${problem && html`<p class="error" role="alert">▲ ${problem.message}</p>`}
    <${Rows} label=${`Messages of ${name} that match`} rows=${rows} key=${messageKey} columns=${messageColumns(route.value, partitions)} empty=${running ? 'No match yet' : 'No match'} />
  </section>`;
}

function Queue({ name }) {
  const { partition = '0', before = '', id = '', key = '', at = '' } = route.value.query;
  const load = useLoad(address(name, { partition, before }));
  const queue = load.data?.queue ?? { name, partitions: 1 };
  const { partitions, service, calls, answers } = queue;
  return html`<div class="head"><div><p><a href="/admin/messages">Messages</a>${service && html` · service <a href=${serviceHref(service)}>${service}</a>`}${calls && html` · answers <a href=${messagesHref(calls)}>${calls}</a>`}${answers && html` · answered in <a href=${messagesHref(answers)}>${answers}</a>`}</p><h1>${name}</h1></div>
      <div class="filters">
        ${partitions > 1 && html`<${Select} label="Partition" value=${partition} options=${Array.from({ length: partitions }, (_, i) => [String(i), String(i)])} set=${(value) => view({ partition: value, before: '', id: '', key: '', at: '' })} />`}
        <${Filter} name="before" label="Before position" value=${before} hint="newest" />
        <${Filter} name="id" label="Id" value=${id} />
        <${Filter} name="key" label="Key" value=${key} />
      </div></div>
    <div class=${at ? 'with-detail' : ''}>
      <div>${id || key ? html`<${Search} name=${name} id=${id} keyText=${key} />` : html`<${Page} name=${name} query=${route.value.query} load=${load} />`}</div>
      ${at && html`<${Message} key=${at} queue=${queue} at=${at} />`}
    </div>`;
}

export function MessagesScreen() {
  const name = route.value.parts[1];
  return name ? html`<${Queue} name=${name} />` : html`<${List} />`;
}
