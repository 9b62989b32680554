/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html, Rows, text } from '/app/parts/elements.js';
import { route } from '/app/router.js';
import { HomeScreen } from '/app/screens/home.js';
import { failedWhere } from '/app/screens/job-execution.js';
import { frame } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, problem, service, texts } from './page.js';

const columns = [
  { name: 'Name', head: true, cell: (row) => row.name },
  { name: 'Size', number: true, cell: (row) => text(row.size) },
];

export function aTableHasAHeaderPerColumnAndPerRow() {
  const place = draw(html`<${Rows} label="Files" rows=${[{ name: 'a', size: 2000 }, { name: 'b' }]} columns=${columns} empty="No files." />`);
  equal(texts(place, 'th[scope=col]'), ['Name', 'Size'], 'columns');
  equal(texts(place, 'th[scope=row]'), ['a', 'b'], 'rows');
  equal(texts(place, 'td.n'), ['2,000', '–'], 'numbers');
  equal(place.querySelector('td').dataset.label, 'Size', 'label on narrow screens');
}

export function aTableWithoutRowsSaysSo() {
  equal(texts(draw(html`<${Rows} label="Files" rows=${[]} columns=${columns} empty="No files." />`), 'p.muted'), ['No files.'], 'text');
}

export function aValueOfUnknownTypeBecomesText() {
  for (const [value, shown] of [[null, '–'], ['', '–'], [0, '0'], [1234, '1,234'], [false, 'false'], [{ a: 1 }, '{"a":1}']]) equal(text(value), shown, value);
}

function table(services, query = {}) {
  route.value = { path: '/', parts: [], query };
  given({ services });
  return draw(html`<${HomeScreen} />`);
}

export function servicesKeepTheirPlacesWhateverHappens() {
  const rows = (severity) => texts(table([service('orders', { severity }), service('ledger'), service('mail')]), 'tr[data-service] th a');
  equal(rows('fine'), ['ledger', 'mail', 'orders'], 'calm');
  equal(rows('bad'), ['ledger', 'mail', 'orders'], 'in trouble');
  const place = table([service('orders'), service('ledger'), service('mail')]);
  equal(texts(place, 'h2').includes('Services'), true, 'no number that the rows have');
}

export function theFilterKeepsServicesWithTheTextInTheirName() {
  const place = table([service('orders'), service('ledger'), service('mail')], { q: 'ER' });
  equal(texts(place, 'tr[data-service] th a'), ['ledger', 'orders'], 'rows');
  equal(texts(place, 'h2').includes('2 of 3 services'), true, 'number');
}

export function aRowShowsTheFiguresOfItsService() {
  const figures = { behind: { v: 252 }, unperformed: { v: 503_201 }, accepted: { v: 2000 }, performed: { v: 1650 } };
  const place = table([service('orders', { state: 'growing', ...figures, failed: 70, dead: 2, open: { count: 9, capped: false }, failedRecently: 3 })]);
  const cell = (id) => texts(place, `.c-${id}:is(td, th[scope=row])`)[0];
  equal(cell('service'), 'orders', 'service');
  equal(cell('behind'), '4 m 12 s', 'behind');
  equal(cell('rates'), '2,000 → 1,650', 'rates');
  equal(texts(table([service('orders', { accepted: { v: 13 }, performed: { v: 12.6 } })]), 'td.c-rates'), ['13'], 'what keeps up performs what comes in');
  equal(cell('failed'), '● 9', 'failed');
  equal(place.querySelector('.c-failed a').dataset.why, 'open; 72 failed since the start', 'what is counted');
}

/** An alert of its lag says why it is in its state, but that of its retention does not. */
export function aRowSaysWhyAServiceStandsStillUnlessAnAlertDoes() {
  const reason = (kind) => {
    given({ services: [service('a', { state: 'unknown', reason: 'it was stopped.' })], problems: [problem(kind)] });
    return texts(draw(html`<${HomeScreen} />`), 'td.c-state small');
  };
  equal(reason('loss'), ['it was stopped'], 'retention');
  equal(reason('failed'), [], 'its own alert');
}

export function openFailuresAreShownAndNotThoseSinceTheStart() {
  const cell = (more) => texts(table([service('orders', { failed: 70, ...more })]), 'td.c-failed')[0];
  equal(cell({ open: { count: 0, capped: false } }), '', 'all were replayed');
  equal(cell({ open: { count: 10_000, capped: true } }), '10,000+', 'more than are counted');
  equal(cell({ open: null }), '', 'not counted yet');
}

export function theShareOfStatementsThatFailIsInTheRow() {
  const failing = { failed: 70, failedRecently: 70, failingShare: 0.32, severity: 'bad', open: { count: 70, capped: false } };
  const place = table([service('orders', failing)]);
  equal(texts(place, 'td.c-failed')[0], '▲ 7032 % fail', 'cell');
  equal(place.querySelector('td.c-failed small').className, 'bad', 'severity');
}

export function aServiceThatKeepsUpSaysWhatIsWrong() {
  given({ services: [service('orders', { severity: 'watch' })], problems: [problem('failing', { service: 'orders', severity: 'watch' })] });
  equal(texts(draw(html`<${HomeScreen} />`), 'td.c-state')[0], '● Keeping up, but statements failed', 'state');
  equal(texts(table([service('orders')]), 'td.c-state')[0], '✓ Keeping up', 'without an alert');
}

/** The alert says it above the table. */
export function aRowDoesNotRepeatItsAlert() {
  const shown = (kind, more) => {
    given({ services: [service('orders', { severity: 'bad', ...more })], problems: kind ? [problem(kind, { service: 'orders' })] : [] });
    return texts(draw(html`<${HomeScreen} />`), 'td.c-state > *');
  };
  const paused = { by: 'olga', at: '2026-11-20T00:00:00Z', reason: 'migration' };
  equal(shown('paused', { state: 'paused', paused }), ['❚❚ Paused'], 'who paused it');
  equal(shown('waiting', { state: 'waiting_for_lock', reason: 'it waits for a lock (SQLState 55P03)' }), ['▲ Waiting for a lock'], 'whose lock it is');
  equal(shown('waiting', { state: 'waiting_for_lock', reason: 'message 7 fails', waitsFor: [{}] }), ['▲ Waiting for 1 message'], 'which message');
  equal(shown(null, { state: 'unknown', reason: 'it was stopped' }), ['? Unknown', 'it was stopped'], 'a state without an alert');
  for (const kind of ['dead', 'failing']) equal(shown(kind, { state: 'unknown', reason: 'it was stopped' }).at(-1), 'it was stopped', 'an alert of something else');
}

export function anInstanceSaysHowManyOfItsServicesAreBad() {
  const shown = (bad) => {
    given({});
    const one = (name) => ({ name, backend: 'memory', seenAt: '2026-11-20T02:31:07Z', count: 3, bad, worst: null });
    frame.value = { ...frame.value, instances: [one('app-1'), one('app-2')] };
    return texts(draw(html`<${HomeScreen} />`), '.instances small')[1];
  };
  equal(shown(2), 'memory · seen 02:31:07 UTC · 3 services, 2 of them bad', 'two');
  equal(shown(1).endsWith('3 services'), true, 'one, which is named');
}

export function onlyTheFirstSentenceOfAReasonIsInTheRow() {
  const reason = 'the broker refused it (refused. Check the port)';
  const place = table([service('orders', { state: 'waiting', severity: 'watch', reason })]);
  equal(texts(place, 'td.c-state small'), ['the broker refused it (refused…)'], 'short');
  equal(place.querySelector('td.c-state small').title, reason, 'whole');
}

export function aPausedServiceCanBeResumed() {
  const place = table([service('orders', { state: 'paused', paused: { by: 'olga', at: '2026-11-20T00:00:00Z', reason: 'migration' } })]);
  equal(texts(place, 'td.c-act button'), ['Resume…'], 'button');
}

export function aFailedStepSaysHowFarItCame() {
  const counts = { written: 600, filtered: 50, readSkips: 0, processSkips: 0, writeSkips: 0 };
  equal(failedWhere({ counts, progress: { unit: 'items', done: 1300, total: 5000 } }), 'at 1,300 of 5,000 items', 'with a total');
  equal(failedWhere({ counts, progress: null }), 'after 650 items of this execution', 'without');
}
