/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The last commands of all users, so that operators see what the others do; for those who may read the audit. */
import { useComputed } from '@preact/signals';
import { html } from './html.js';
import { duration } from '../format.js';
import { frame, may } from '../store.js';
import { useLoad } from './load.js';

const SHOWN = 3;
/** More are read, because a failed command has two entries. */
const READ = 10;
const EVERY = 5;

const VERBS = {
  'service.pause': 'paused',
  'service.resume': 'resumed',
  'service.drain': 'drained',
  'service.fail-message': 'failed message',
  'service.set-aside': 'set aside damage in',
  'job.start': 'started job',
  'job.stop': 'stopped job',
  'job.restart': 'restarted job',
  'job.recover': 'recovered job',
  'job.abandon': 'abandoned job',
  'failed.replay': 'replayed failed message',
  'failed.set-aside': 'set aside failed message',
  'failed.reopen': 'reopened failed message',
  'failed.discard': 'discarded failed message',
  'failed.export': 'exported failed message',
  'failures.replay': 'started a replay of',
  'failures.replay.result': 'ended the replay of',
  'failures.replay.stop': 'stopped the replay of',
  'failures.set-aside': 'set aside',
  'failures.reopen': 'reopened',
  'failures.discard': 'discarded',
  'demo.burst': 'started a burst of',
  'user.create': 'added user',
  'user.delete': 'deleted user',
  'token.create': 'added token',
  'token.delete': 'deleted token',
  'catalogue.reload': 'reloaded the catalogue',
  'caller.limit': 'limited',
  'caller.lift': 'lifted the limit of',
};

/** Actions that are only in the audit. */
const OTHERS = {
  'session.login': 'logged in',
  'session.logout': 'logged out',
  'user.password': 'changed the password',
  'failed.values': 'looked at the values of failed message',
  'message.values': 'looked at the values of message',
};

/** The words of each known action. */
export const ACTIONS = { ...VERBS, ...OTHERS };

const HTTP = 'http.';

/** The words of an action, also of the refused requests of an HTTP method; undefined if this version does not know it. */
export const actionWords = (action) => (action.startsWith(HTTP) ? `sent a ${action.slice(HTTP.length)} request` : ACTIONS[action]);

/** What was unusual about the outcome of a command; empty if nothing was. */
function outcomeOf({ outcome }) {
  if (outcome.startsWith('failed')) return 'failed';
  return outcome.replace(/^allowed(, )?/, '');
}

/** "paused mail: “migration”". @param {{action: string, target: string, reason: string, outcome: string}} entry */
export function commandLine(entry) {
  const { action, target, reason } = entry;
  const how = outcomeOf(entry);
  return `${VERBS[action] ?? action} ${target}${reason ? `: “${reason}”` : ''}${how && ` (${how})`}`;
}

const key = ({ actor, action, target, reason }) => JSON.stringify([actor, action, target, reason]);

/** The newest commands; of a failed one, only the entry that says so. @param {object[]} entries newest first */
export function lastCommands(entries) {
  const failed = new Set();
  return entries.filter((entry) => (entry.outcome.startsWith('failed') ? failed.add(key(entry)) : !failed.delete(key(entry)))).slice(0, SHOWN);
}

/** How long ago something was; to the minute after the first one, so that it does not tick. */
export function agoWords(at, now) {
  const seconds = Math.round((Date.parse(now) - Date.parse(at)) / 1000);
  if (seconds < 2) return 'just now';
  return `${duration(seconds < 60 ? seconds : seconds - (seconds % 60))} ago`;
}

function Entry({ entry }) {
  const ago = useComputed(() => agoWords(entry.at, frame.value.at));
  return html`<li><span class="nowrap muted" title=${entry.at}>${ago}</span> <span title=${entry.outcome}><b>${entry.actor}</b> ${commandLine(entry)}</span></li>`;
}

export function LastCommands() {
  const load = useLoad(may('operator') ? `/audit?commands=true&limit=${READ}` : null, EVERY);
  const entries = lastCommands(load.data?.entries ?? []);
  if (entries.length === 0) return load.problem && html`<p class="muted">Last commands unknown: ${load.problem.status === 503 ? 'the system database is not responding.' : load.problem.message}</p>`;
  return html`<section class="last-commands" aria-label="Last commands"><h2><a href="/admin/audit">Last commands</a></h2>
    <ul>${entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</ul></section>`;
}
