/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { serviceOf } from '/app/parts/verdict.js';
import { chartsOf, details, Rules } from '/app/screens/alerts.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const now = Date.parse('2026-11-20T02:31:07Z');
const over = { kind: 'behind', service: 'a', volume: null, opened: '2026-11-20T01:00:00Z', closed: '2026-11-20T02:00:00Z' };
const place = (alert) => decodeURIComponent(chartsOf(alert, now) ?? 'none');

export function theChartsOfAnAlertShowItsTimeAndALittleMore() {
  equal(place(over), '/admin/services/a?at=2026-11-20T01:00:00.000Z&from=2026-11-20T00:45:00.000Z&to=2026-11-20T02:15:00.000Z', 'an hour');
  equal(place({ ...over, closed: '2026-11-20T01:00:10Z' }), '/admin/services/a?at=2026-11-20T01:00:00.000Z&from=2026-11-20T00:55:00.000Z&to=2026-11-20T01:05:10.000Z', 'ten seconds');
  equal(place({ ...over, closed: null }).endsWith('&to=now'), true, 'open');
  equal(place({ ...over, kind: 'disk', service: null, volume: '/data' }).startsWith('/admin/storage?at=2026-11-20T01:00:00.000Z&from='), true, 'a volume');
  equal(place({ ...over, kind: 'job', service: null, job: 'letters' }), 'none', 'a job');
}

export function anOpenAlertShowsItsKindAndMarksAndWhoTakesCareOfIt() {
  const alert = { kind: 'failing', since: '2026-11-20T02:00:00Z', marks: '0.8 %, opens at 1 %, closes below 0.8 %', silenced: null, acknowledged: null };
  const acknowledged = { by: 'olga', at: '2026-11-20T02:05:00Z', note: 'on it' };
  equal(details({ ...alert, acknowledged }).slice(2), ['0.8 %, opens at 1 %, closes below 0.8 %', 'acknowledged by olga at 02:05 UTC: on it'], 'acknowledged');
  equal(details({ ...alert, marks: null }).length, 2, 'a state');
}

export function aRuleSaysWhenItsAlertOpensSooner() {
  const rule = { name: 'failing', figure: 'failed', marks: 'opens at 1 %', sooner: 'opens at once if 20 failed', enterAfter: 15, leaveAfter: 120 };
  const marks = (more) => texts(draw(html`<${Rules} rules=${[{ ...rule, ...more }]} />`), 'td')[1];
  equal(marks({}), 'opens at 1 %; opens at once if 20 failed', 'sooner');
  equal(marks({ marks: null, sooner: null }), 'opens and closes with the state', 'a state');
}

export function anAlertLeadsToWhatThereIsToSeeOfIt() {
  given({});
  equal(serviceOf({ service: 'a', kind: 'database' }), '/admin/services/a?t=slowest', 'its slowest statements');
  equal(serviceOf({ service: 'a', kind: 'failing' }), '/admin/services/a?t=failed', 'its failures');
  equal(serviceOf({ service: 'a', kind: 'behind' }), '/admin/services/a', 'the others');
}
