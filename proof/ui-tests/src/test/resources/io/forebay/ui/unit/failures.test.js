/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { Group, lately } from '/app/parts/failures.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const group = {
  id: 'failed~main~23505~orders.place~constraint orders_pkey', kind: 'failed', service: 'main', error: '23505', statement: 'orders.place',
  cause: 'orders.place~constraint orders_pkey', text: 'it violates a constraint of the database (constraint orders_pkey)', count: 1200,
  countCapped: false, replayed: 3, lastMinute: 12, lastMinuteShare: 0.031, first: '2026-11-20T02:00:00Z', last: '2026-11-20T02:31:00Z',
};

function drawn(more) {
  given({ role: 'operator' });
  return draw(html`<${Group} group=${{ ...group, ...more }} again=${() => {}} />`);
}

export function aGroupNamesStatementErrorAndConstraint() {
  equal(texts(drawn({}), '.what p')[0], 'failed orders.place 23505 it violates a constraint of the database (constraint orders_pkey)', 'what failed, and on what');
  equal(texts(drawn({ statement: null }), '.what code'), ['23505'], 'SQL text');
}

export function aGroupShowsTheShareOfTheLastMinuteWhileItGrows() {
  equal(lately(group), '12 in the last minute, about 3.1 % of what was performed', 'with the share');
  equal(lately({ ...group, lastMinuteShare: null }), '12 in the last minute', 'without');
  equal(lately({ ...group, lastMinute: 0, lastMinuteShare: null }), null, 'nothing new');
  equal(texts(drawn({}), '.what .state'), ['● 12 in the last minute, about 3.1 % of what was performed'], 'line');
  equal(texts(drawn({ lastMinute: 0 }), '.what .state'), [], 'no line');
}

export function whatWasReplayedStaysVisibleInItsGroup() {
  equal(texts(drawn({}), '.what .muted')[0].endsWith('3 replayed before'), true, 'replayed');
}

export function buttonsNameTheGroup() {
  equal([...drawn({}).querySelectorAll('button')].map((one) => one.getAttribute('aria-label')), ['List: orders.place: 23505 of main', 'Replay… orders.place: 23505 of main'], 'labels');
}
