/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Failed messages of all services (?service=&state=&from=); without from, the open ones of the
 * last day, or those of any time in another state. */
import { html, Select } from '../parts/elements.js';
import { FailureGroups } from '../parts/failures.js';
import { route, view } from '../router.js';
import { serviceNames } from '../store.js';

const STATES = [
  ['', 'open'],
  ['set-aside', 'set aside'],
  ['replayed', 'replayed'],
  ['discarded', 'discarded'],
];
const ANY_TIME = '-3650d';
const TIMES = [
  ['-1h', 'last hour'],
  ['-24h', 'last 24 hours'],
  ['-7d', 'last 7 days'],
  [ANY_TIME, 'any time'],
];

export function FailedScreen() {
  const { service = '', state = '' } = route.value.query;
  const { from = state ? ANY_TIME : '-24h' } = route.value.query;
  return html`<div class="head"><h1>Failed messages</h1>
      <div class="filters">
        <${Select} label="Service" value=${service} options=${[['', 'all'], ...serviceNames.value.map((name) => [name, name])]} set=${(value) => view({ service: value })} />
        <${Select} label="State" value=${state} options=${STATES} set=${(value) => view({ state: value })} />
        <${Select} label="Time" value=${from} options=${TIMES} set=${(value) => view({ from: value })} />
      </div></div>
    <p class="muted">These are statements that the database refused, and messages that a service could not decode or gave up after errors. Their callers received the error. You can replay them, set them aside, export and discard them.</p>
    <${FailureGroups} service=${service} state=${state || undefined} from=${from} />`;
}
