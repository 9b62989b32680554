/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Queues (?service=), and the messages of one (/messages/{queue}?partition=&from=&before=&after=&id=&key=&statement=&at=&live=). */
import { html } from '../parts/html.js';
import { path } from '../api.js';
import { bytes, count, counted, moment, UNKNOWN } from '../format.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows } from '../parts/rows.js';
import { Select } from '../parts/select.js';
import { href, route, serviceHref, view } from '../router.js';
import { Message, messageColumns, messageKey, messagesHref } from './message.js';
import { LiveMessages } from './messages-live.js';

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

function Filter({ name, label, value, hint }) {
  return html`<label>${label} <input type="search" value=${value} placeholder=${hint} spellcheck="false" autocomplete="off"
    onChange=${(event) => view({ [name]: event.target.value.trim(), before: '', after: '', at: '' })} /></label>`;
}

/** How far a search came that has not found a full page. */
function reachedLine(page, back) {
  const looked = counted(page.looked, 'message') + (page.begun ? `, from the time in the id on (${moment(page.begun)} UTC)` : '');
  const found = `${count(page.messages.length)} of them shown, newest first`;
  if (page.reached) return `Searched ${looked}, ${back ? 'back' : 'up'} to ${moment(page.reached)}:${page.reached.slice(17, 19)} UTC; ${found}. To continue from there, search further.`;
  return `Searched ${looked}; ${found}.`;
}

function Page({ page, query, refresh }) {
  const { queue, messages } = page;
  const back = !query.from && !query.after && !page.begun;
  const filtered = query.id || query.key || query.statement;
  const moves = (change) => href(route.value.path, { ...query, from: '', before: '', after: '', at: '', ...change });
  const further = back ? page.older : page.newer;
  const short = further && page.reached;
  return html`<section class="panel messages">
    <div class="head"><p class="muted" role="status">${filtered || page.reached ? reachedLine(page, back) : `${counted(messages.length, 'message')}, newest first.`}</p>
      <div class="buttons">
        ${(query.from || query.before || query.after) && html`<a class="button" href=${moves({})}>Newest</a>`}
        ${page.newer ? html`<a class="button" href=${moves({ after: page.newer })}>${short && !back ? 'Search further' : 'Newer'}</a>` : html`<button type="button" onClick=${refresh}>Refresh</button>`}
      </div></div>
    <${Rows} label=${`Messages of ${queue.name}, newest first`} rows=${messages} key=${messageKey} columns=${messageColumns(route.value, queue.partitions)}
      empty=${filtered || query.from || query.after ? 'No match' : 'The queue has no messages.'} />
    ${page.older && html`<p class="buttons"><a class="button" href=${moves({ before: page.older })}>${short && back ? 'Search further' : 'Older'}</a></p>`}
  </section>`;
}

function Queue({ name }) {
  const { query } = route.value;
  const { partition = '', from = '', before = '', after = '', id = '', key = '', statement = '', at = '', live = '' } = query;
  const load = useLoad(path(`/queues/${encodeURIComponent(name)}/messages`, live ? { limit: 1 } : { partition, from, before, after, id, key, statement }));
  const partitions = load.data?.queue.partitions ?? 1;
  const { service, calls, answers } = load.data?.queue ?? {};
  return html`<div class="head"><div><p><a href="/admin/messages">Messages</a>${service && html` · service <a href=${serviceHref(service)}>${service}</a>`}${calls && html` · answers <a href=${messagesHref(calls)}>${calls}</a>`}${answers && html` · answered in <a href=${messagesHref(answers)}>${answers}</a>`}</p><h1>${name}</h1></div>
      <div class="filters">
        ${partitions > 1 && html`<${Select} label="Partition" value=${partition} options=${[['', 'all'], ...Array.from({ length: partitions }, (_, i) => [String(i), String(i)])]} set=${(value) => view({ partition: value, before: '', after: '', at: '' })} />`}
        <a class="button" href=${href(route.value.path, { ...query, live: live ? '' : '1', from: '', before: '', after: '' })}>${live ? 'Stop live' : 'Live'}</a>
        ${!live && html`<${Filter} name="from" label="From" value=${from} hint="position or time (UTC)" />`}
        <${Filter} name="id" label="Id" value=${id} />
        <${Filter} name="key" label="Key" value=${key} />
        <${Filter} name="statement" label="Statement or method" value=${statement} />
      </div></div>
    <div class=${at ? 'with-detail' : ''}>
      <div><${Loaded} load=${load} what="the messages">${(page) => (live ? html`<${LiveMessages} queue=${name} partitions=${partitions} query=${query} />` : html`<${Page} page=${page} query=${query} refresh=${load.again} />`)}<//></div>
      ${at && html`<${Message} key=${at} queue=${load.data?.queue ?? { name }} at=${at} />`}
    </div>`;
}

export function MessagesScreen() {
  const name = route.value.parts[1];
  return name ? html`<${Queue} name=${name} />` : html`<${List} />`;
}
