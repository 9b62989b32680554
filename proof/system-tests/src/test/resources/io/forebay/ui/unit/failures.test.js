/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { render } from 'preact';
import { closeDialog, DialogHost, openDialog } from '/app/parts/dialog.js';
import { html } from '/app/parts/elements.js';
import { COMMANDS, decidedText, DecisionDialog, keyText } from '/app/parts/failure.js';
import { FailureGroups, Group, inOrder, lately } from '/app/parts/failures.js';
import { Course, progressLine, refusesValues, ReplayDialog, shownRuns, stillFails } from '/app/parts/replay.js';
import { Call } from '/app/parts/values.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const group = {
  id: 'main~23505~orders.place~constraint orders_pkey', service: 'main', error: '23505', statement: 'orders.place',
  cause: 'orders.place~constraint orders_pkey', text: 'unique constraint orders_pkey of orders violated', count: 1200,
  countCapped: false, lastMinute: 12, first: '2026-11-20T02:00:00Z', last: '2026-11-20T02:31:00Z',
};

function drawn(more) {
  given({ role: 'operator' });
  return draw(html`<${Group} group=${{ ...group, ...more }} again=${() => {}} />`);
}

export function aGroupNamesStatementErrorAndConstraint() {
  equal(texts(drawn({}), '.what p')[0], 'orders.place 23505 unique constraint orders_pkey of orders violated', 'what failed, and on what');
  equal(texts(drawn({ statement: null }), '.what code'), ['23505'], 'SQL text');
}

export function aGroupShowsTheLastMinuteWhileItGrows() {
  equal(texts(drawn({}), '.what .state'), ['● 12 in the last minute'], 'line');
}

/** The frame is of 02:31:07. */
export function aGroupThatHasEndedSaysWhenTheLastOneFailed() {
  const after = (seconds, lastMinute) => lately({ ...group, ended: true, lastMinute }, Date.parse(group.last) + seconds * 1000);
  equal(after(22, 252), '252 in the last minute, the last one 22 s ago', 'some seconds');
  equal(after(71, 0), 'the last one 1 m 11 s ago', 'a minute');
  equal(after(15 * 60, 0), null, 'long ago');
  const place = drawn({ ended: true });
  equal(texts(place, '.what .lately'), ['12 in the last minute, the last one 7 s ago'], 'line');
  equal(texts(place, '.what .state'), [], 'no mark');
  equal(texts(drawn({ ended: true, lastMinute: 0, last: '2026-11-19T02:31:00Z' }), '.what .lately'), [], 'no line');
}

export function buttonsNameTheGroup() {
  const names = (more) => [...drawn(more).querySelectorAll('button')].map((one) => one.getAttribute('aria-label').replace(' main: orders.place, unique constraint orders_pkey of orders violated (23505)', ''));
  equal(names({}), ['List:', 'Replay…', 'Set aside…', 'Export…', 'Discard… (Needs role admin)'], 'labels');
  equal(names({ undecodable: true }), ['List:', 'Set aside…', 'Export…', 'Discard… (Needs role admin)'], 'a replay cannot help');
}

export function groupsKeepTheirOrderAndNewOnesAreLast() {
  const groups = ['new', 'b', 'a'].map((id) => ({ id }));
  const ids = (kept) => inOrder(kept, groups).map(({ id }) => id);
  equal(ids([]), ['new', 'b', 'a'], 'of the server at first');
  equal(ids(['a', 'gone', 'b']), ['a', 'b', 'new'], 'kept');
}

const run = { id: 'r', state: 'RUNNING', service: 'crm', error: '23514', statement: 'contacts.add', count: 265, sent: 61, done: 58, failed: 0, perSecond: 8.2, text: '', by: 'olga', reason: 'fixed', started: '2026-11-20T02:31:00Z' };

export function thePartsOfAReplayAddUpAndAreNamed() {
  equal(progressLine(run), '61 of 265 sent: 58 performed, 0 failed again, 3 not performed yet; 204 to go, about 25 s left', 'running');
  equal(progressLine({ ...run, perSecond: 0 }).endsWith('; 204 to go'), true, 'no rate yet');
  const over = { ...run, state: 'FAILED', sent: 4, done: 0, failed: 3 };
  equal(progressLine(over), '4 of 265 sent: 0 performed, 3 failed again, 1 with unknown outcome; 261 not attempted', 'over');
  equal(texts(draw(html`<${Course} run=${{ ...over, text: 'Stopped at 4 of 265: 3 messages in a row failed again.' }} />`), 'p')[0],
    'Stopped at 4 of 265: 3 messages in a row failed again. 4 of 265 sent: 0 performed, 3 failed again, 1 with unknown outcome; 261 not attempted.', 'with the reason');
  equal(progressLine({ ...run, state: 'DONE', sent: 265, done: 265 }), '265 of 265 sent: 265 performed, 0 failed again', 'all');
}

export function runningReplaysComeBeforeTheLastEndedOnes() {
  const runs = ['a', 'b', 'c', 'd'].map((id) => ({ ...run, id, state: 'DONE' }));
  equal(shownRuns([...runs, run, { ...run, id: 'other', service: 'shop' }], 'crm').map(({ id }) => id), ['r', 'a', 'b', 'c'], 'of a service');
}

export function aGeneratedKeyIsShownWithoutItsMark() {
  equal(keyText('¶ce3f375b'), 'ce3f375b', 'generated');
  equal(keyText('¶3¶¶orders'), '¶3¶¶orders', 'a line of a stream');
  equal(keyText(null), undefined, 'none');
}

export function theValuesOfAStatementHaveTheNamesOfItsParameters() {
  const call = { method: 'executeUpdate', arguments: ['"insert …"', '["hello", -1]'], statement: null, values: [] };
  equal(texts(draw(html`<${Call} call=${call} />`), 'h3, li'), ['executeUpdate', '"insert …"', '["hello", -1]'], 'not in the catalogue');
  const named = { ...call, statement: 'orders.add', values: [{ name: 'text', value: '"hello"' }, { name: 'qty', value: '-1' }] };
  equal(texts(draw(html`<${Call} call=${named} />`), 'h3, .values > div'), ['orders.add', 'text "hello"', 'qty -1'], 'named');
}

export function aCommandSaysWhatItMeans() {
  const says = (name) => COMMANDS[name].says.join(' ');
  equal(says('discard').includes('Its caller has already received the error, if the message named its caller. For the caller, nothing changes.'), true, 'the caller');
  equal(says('set-aside').includes('until somebody reopens or discards it.'), true, 'how it ends');
  equal(says('set-aside').includes('One of your own service is still deleted'), true, 'of your own service');
  equal(decidedText('discard', 1252, 1252), '1,252 messages discarded.', 'all');
  equal(decidedText('set-aside', 1, 2), '1 message set aside. The others were deleted, or another operator decided about them first.', 'not all');
}

/** Answers requests by their path; the rest of the page needs no server. */
function answering(answers) {
  const { fetch } = window;
  window.fetch = async (url, { body }) => new Response(JSON.stringify(answers[url.replace('/admin/api/v1', '').split('?')[0]](body && JSON.parse(body))), { headers: { 'Content-Type': 'application/json' } });
  return () => (window.fetch = fetch);
}

export async function aDecisionAboutAGroupNamesItsNumberInTitleAndButton() {
  given({ role: 'admin' });
  const end = answering({ '/failures/count': () => ({ count: 1252, before: '2026-11-20T02:31:00Z', fingerprint: 'f' }) });
  const place = draw(null);
  document.body.append(place);
  try {
    render(html`<${DecisionDialog} name="discard" group=${group} again=${() => {}} />`, place);
    await shows(place, 'Discard 1,252 failed messages?', 'h2');
    equal(texts(place, '.buttons button'), ['Cancel', 'Discard 1,252 failed messages'], 'buttons');
    await shows(place, 'All of main: orders.place, unique constraint orders_pkey of orders violated (23505), of any age.', 'li');
  } finally {
    render(null, place);
    place.remove();
    end();
  }
}

export async function aReplaySendsWhatWasCountedAndThenShowsItsCourse() {
  given({});
  const counted = { before: '2026-11-20T02:31:00Z', fingerprint: 'f' };
  const sent = [];
  let ended = 0;
  const end = answering({
    '/failures/count': () => ({ count: 2, ...counted }),
    '/failures/replays': (body) => ({ id: String(sent.push(body)) }),
    '/failures/replays/1': () => ({ state: 'DONE', count: 2, sent: 2, done: 1, failed: 1, started: '2026-11-20T02:31:00Z' }),
  });
  const place = draw(html`<${DialogHost} />`);
  document.body.append(place);
  try {
    openDialog(ReplayDialog, { group, again: () => ended++ });
    await shows(place, 'Replay 2 messages', '.buttons .primary');
    const reason = place.querySelector('#reason');
    reason.value = 'the key is free now';
    reason.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((drawn) => setTimeout(drawn, 50));
    place.querySelector('form').requestSubmit();
    await shows(place, 'Done: 2 of 2 sent: 1 performed, 1 failed again.', '[role=status] p');
    const { service, error, cause } = group;
    equal(sent, [{ service, error, cause, ...counted, reason: 'the key is free now', perSecond: 5, stopAfterFailures: 3 }], 'sent');
    equal(ended, 1, 'the groups are asked for again');
  } finally {
    closeDialog();
    render(null, place);
    place.remove();
    end();
  }
}

/** Another operator decided about some meanwhile. */
export async function aReplayThatIsCountedAgainSaysTheNewNumber() {
  given({});
  let counts = 0;
  const { fetch } = window;
  window.fetch = async (url) =>
    url.includes('/count')
      ? new Response(JSON.stringify({ count: counts++ ? 7 : 10, before: '2026-11-20T02:31:00Z', fingerprint: `f${counts}` }), { headers: { 'Content-Type': 'application/json' } })
      : new Response(JSON.stringify({ detail: 'They are no longer the same.' }), { status: 409, headers: { 'Content-Type': 'application/json' } });
  const place = draw(html`<${DialogHost} />`);
  document.body.append(place);
  try {
    openDialog(ReplayDialog, { group, again: () => {} });
    await shows(place, '10 messages that failed before 02:31:00 UTC; none that fails later.', 'li');
    const reason = place.querySelector('#reason');
    reason.value = 'the key is free now';
    reason.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((drawn) => setTimeout(drawn, 50));
    place.querySelector('form').requestSubmit();
    await shows(place, 'Replay 7 messages', '.buttons .primary');
    await shows(place, '7 messages that failed before 02:31:00 UTC; none that fails later.', 'li');
  } finally {
    closeDialog();
    render(null, place);
    place.remove();
    window.fetch = fetch;
  }
}

async function shows(place, count, selector = '.many') {
  const end = Date.now() + 8000;
  while (texts(place, selector)[0] !== count) {
    if (Date.now() > end) throw new Error(`${texts(place, selector)[0]} instead of ${count}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** It begins and ends between two looks at the replays. */
export async function aShortReplayUpdatesTheNumberOfItsGroup() {
  given({ role: 'operator' });
  let count = 47;
  let runs = [];
  const answers = { '/failures': () => ({ groups: [{ ...group, count }], others: 0, othersCount: 0 }), '/failures/replays': () => ({ runs }) };
  const end = answering(answers);
  const place = draw(html`<${FailureGroups} />`);
  try {
    await shows(place, '47');
    count = 3;
    runs = [{ ...run, state: 'DONE' }];
    await shows(place, '3');
  } finally {
    render(null, place);
    end();
  }
}

export function aReplayWarnsWhileStatementsStillFail() {
  equal(stillFails(group), 'The cause is still there: 12 failed in the last minute. Messages that are replayed now may fail again.', 'now');
  equal(stillFails({ ...group, lastMinute: 500, countCapped: true }).includes('500+ failed'), true, 'more than are counted');
  equal(stillFails({ ...group, ended: true }), null, 'ended');
  equal(stillFails({ ...group, lastMinute: 0 }), null, 'none');
}

export function theReplayWarnsOfValuesThatTheDatabaseRefuses() {
  equal(refusesValues({ ...group, error: '23514' }), 'The database refuses these values (23514). They fail again unless its tables or rules have changed since; otherwise set them aside or discard them.', 'a check');
  equal(refusesValues({ ...group, error: '22001' })?.includes('(22001)'), true, 'too long');
  equal(refusesValues({ ...group, error: '40001' }), null, 'not of the values');
}
