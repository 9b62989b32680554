/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Groups of failed messages; each opens to its list. A dialog shows one of them, with its commands. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { path } from '../api.js';
import { bytes, count, duration, since } from '../format.js';
import { serviceHref } from '../router.js';
import { frame } from '../store.js';
import { ActionButton, openDialog } from './dialog.js';
import { html, Loaded, Rows, text, useLoad, usePages } from './elements.js';
import { ALLOWED, askAll, askValues, COMMANDS, FailureDialog, history, keyText } from './failure.js';
import { Shape } from './figure.js';
import { groupTitle, ReplayDialog, Replays } from './replay.js';

const EVERY = 5;
const EVERY_WHILE_CHANGING = 2;

/** So long the alert says when the last one failed, too. */
const RECENT = 15 * 60;

function List({ group, state, again }) {
  const load = usePages('/failures/list', { service: group.service, error: group.error, cause: group.cause, state: state ?? 'open', limit: 50 }, 'failures');
  const { rows } = load;
  const reload = () => {
    load.again();
    again();
  };
  const newest = `${group.count} ${group.last}`;
  const listed = useRef(newest);
  useEffect(() => {
    if (listed.current === newest) return;
    listed.current = newest;
    load.again();
  }, [newest]);
  return html`<${Loaded} load=${load} what="the list">${() => {
    const ofStatements = rows.some((row) => row.origin);
    const differ = rows.some((row) => row.detail !== group.text);
    return html`<${Rows} label=${groupTitle(group, group.text)} empty="None is in this state now." rows=${rows} key=${(row) => row.id}
        columns=${[
          { name: 'At (UTC)', head: true, cell: (row) => html`<span class="nowrap">${since(row.at)}</span>` },
          ...(ofStatements ? [{ name: 'Statement', cell: (row) => html`<code>${text(row.origin?.statement ?? group.statement)}</code>` }] : []),
          ...(differ ? [{ name: 'What', wrap: true, cell: (row) => row.detail }] : []),
          ...(ofStatements
            ? [
                { name: 'Caller', wrap: true, cell: (row) => text(row.origin?.client) },
                { name: 'Key', wrap: true, cell: (row) => html`<code>${text(keyText(row.origin?.key))}</code>` },
              ]
            : []),
          { name: 'Size', number: true, cell: (row) => bytes(row.bytes) },
          { name: 'Replays', number: true, cell: (row) => text(row.replays) },
          ...(state ? [{ name: 'Decision', wrap: true, cell: history }] : []),
          { name: '', cell: (row) => html`<span class="row-do"><${ActionButton} label=${`Show values… ${row.id}`} onClick=${() => askValues(row.id)}>Show values…<//>
            <button type="button" aria-label=${`More… ${row.id}`} onClick=${() => openDialog(FailureDialog, { row, group, again: reload })}>More…</button></span>` },
        ]} />
      ${load.older}`;
  }}<//>`;
}

/** "12 in the last minute", or once they have ended "the last one 22 s ago"; null if none failed lately. */
export function lately({ lastMinute, countCapped, ended, last }, now) {
  const ago = (now - Date.parse(last)) / 1000;
  const parts = [
    lastMinute > 0 && `${count(lastMinute)}${countCapped ? '+' : ''} in the last minute`,
    ended && ago < RECENT && `the last one ${duration(Math.max(1, Math.floor(ago)))} ago`,
  ];
  return parts.filter(Boolean).join(', ') || null;
}

/** Drawn every second; the rest of a group is not. */
function Lately({ group }) {
  const text = lately(group, frame.value ? Date.parse(frame.value.at) : Date.now());
  if (!text) return null;
  return group.ended ? html`<p class="lately">${text}</p>` : html`<p class="lately state watch"><${Shape} severity="watch" /> ${text}</p>`;
}

export function Group({ group, state, again, withService }) {
  const [open, setOpen] = useState(false);
  const toggle = () => {
    setOpen(!open);
    if (!open) again(); // so that the figures are as new as the list
  };
  const title = groupTitle(group, group.text);
  return html`<section class="group panel" data-row>
    <div class="group-head">
      <b class="many">${count(group.count)}${group.countCapped ? '+' : ''}</b>
      <div class="what"><p>${group.statement && html`<b><code>${group.statement}</code></b> `}<b><code>${group.error}</code></b> ${group.text}</p>
        <${Lately} group=${group} />
        <p class="muted">${withService && html`<a href=${serviceHref(group.service, { t: 'failed' })}>${group.service}</a>${' · '}`}${since(group.first)} – ${since(group.last)} UTC</p>
        ${group.undecodable && html`<p class="muted">A replay cannot help: this version of Forebay cannot decode ${group.count === 1 ? 'this message' : 'these messages'}. Export, set aside or discard.</p>`}</div>
      <div class="do">
        <button type="button" aria-expanded=${open} aria-label=${`List: ${title}`} onClick=${toggle}>List</button>
        ${!state && !group.undecodable && html`<${ActionButton} label=${`Replay… ${title}`} onClick=${() => openDialog(ReplayDialog, { group, again })}>Replay…<//>`}
        ${(ALLOWED[state ?? 'open'] ?? []).map((name) => html`<${ActionButton} key=${name} role=${COMMANDS[name].role} label=${`${COMMANDS[name].verb}… ${title}`} onClick=${() => askAll(name, group, state, again)}>${COMMANDS[name].verb}…<//>`)}
      </div>
    </div>
    ${open && html`<${List} group=${group} state=${state} again=${again} />`}
  </section>`;
}

/** The groups in the order in which they were first shown; new ones are last. @param {string[]} kept ids @param {object[]} groups */
export function inOrder(kept, groups) {
  const byId = new Map(groups.map((group) => [group.id, group]));
  return [...new Set([...kept, ...byId.keys()])].filter((id) => byId.has(id)).map((id) => byId.get(id));
}

/** @param {{service?: string, state?: string, from?: string}} props filters; each is optional; without a state, open ones; without from, of the last day, or of any time if a state is given */
export function FailureGroups({ service, state, from }) {
  const address = path('/failures', { service, state, from });
  const [replays, setReplays] = useState(false);
  const [failing, setFailing] = useState(false);
  const load = useLoad(address, replays || failing ? EVERY_WHILE_CHANGING : EVERY);
  const fails = Boolean(load.data?.groups.some((group) => group.lastMinute > 0 && !group.ended));
  useEffect(() => setFailing(fails), [fails]);
  const kept = useRef({ address: null, ids: [] });
  const [, draw] = useState(0);
  if (load.fresh && kept.current.address !== address) kept.current = { address, ids: [] };
  return html`<${Replays} service=${service} again=${load.again} running=${setReplays} /><${Loaded} load=${load} what="the failures">${({ groups, others, othersCount }) => {
    const shown = inOrder(kept.current.ids, groups);
    kept.current.ids = shown.map((group) => group.id);
    const update = () => {
      kept.current.ids = [];
      draw((before) => before + 1);
    };
    return groups.length === 0
      ? html`<div class="panel empty"><p>${state ? 'No failures in this state and time.' : '✓ No open failures in this time.'}</p><p class="muted">Statements that the database refused and messages that a service gave up appear here.</p></div>`
      : [
          shown.some((group, i) => group !== groups[i]) && html`<p key="order"><button type="button" class="chip" onClick=${update}>Sort again</button> <span class="muted">Newer failures are in other groups now.</span></p>`,
          ...shown.map((group) => html`<${Group} key=${group.id} group=${group} state=${state} again=${load.again} withService=${!service} />`),
          others > 0 && html`<p key="others" class="muted">The ${count(groups.length)} groups that failed last are shown. ${count(othersCount)} failures are in ${count(others)} other groups.</p>`,
        ];
  }}<//>`;
}
