/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { sentence } from '/app/alerts.js';
import { render } from 'preact';
import { limitText } from '/app/actions.js';
import { DialogHost } from '/app/parts/dialog.js';
import { html } from '/app/parts/elements.js';
import { limitLines, limitRows, Refusing, senderRows, Senders, suggested } from '/app/screens/callers.js';
import { dialog, notice } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, problem, service, texts } from './page.js';

const limit = { caller: 'billing', perSecond: 20, reason: 'runaway import', by: 'anna', at: '2026-11-20T02:30:00.123456Z', until: '2026-11-20T03:31:00Z' };
const senders = { lastMinute: 12000, most: [{ name: 'billing', lastMinute: 9000 }, { name: 'web', lastMinute: 600 }], more: 0 };

export function eachLimitOfACallerHasARow() {
  const rows = limitRows({ callers: [
    { name: 'a', limits: [{ name: 'rate' }, { name: 'burst' }] },
    { name: 'b', limits: [{ name: 'max-requests' }] },
  ] });
  equal(rows.map(({ caller, limit, first }) => [caller.name, limit.name, first]), [['a', 'rate', true], ['a', 'burst', false], ['b', 'max-requests', true]], 'rows');
}

export function rateAndBurstByCommandNameWhoSetThem() {
  const limits = ['rate', 'burst', 'max-requests'].map((name) => ({ name }));
  const rows = limitRows({ callers: [{ name: 'billing', limits }, { name: 'web', limits }], limited: [limit] });
  equal(rows.map(({ by }) => by ?? ''), ['anna', 'anna', '', '', '', ''], 'by');
}

export function aCallerHasItsRateAndItsShareOfAllCallers() {
  given({});
  const place = draw(html`<${Senders} data=${{ senders: { ...senders, more: 3 } }} />`);
  equal(texts(place, 'tbody tr'), ['billing150/s75 %Limit…', 'web10/s5 %Limit…'], 'rows');
}

export function aLimitedCallerIsListedWithItsLimitAlsoIfItSendsNothing() {
  given({});
  const limited = [limit, { ...limit, caller: 'idle' }];
  const place = draw(html`<${Senders} data=${{ senders, limited }} />`);
  equal(texts(place, 'tbody tr'), [
    'billing150/s75 %20/s until 03:31 UTC, by anna: runaway importChange…Lift…',
    'web10/s5 %Limit…',
    'idle0/s0 %20/s until 03:31 UTC, by anna: runaway importChange…Lift…',
  ], 'rows');
  const rows = senderRows({ senders: { ...senders, more: 1 }, limited });
  equal(rows.map(({ perSecond }) => perSecond ?? 'unknown'), [150, 10, 'unknown'], 'it may be among those with fewer');
}

export function whoMayNotLimitCallersSeesWhy() {
  given({ role: 'viewer' });
  const place = draw(html`<${Senders} data=${{ senders, limited: [limit] }} />`);
  equal([...place.querySelectorAll('button')].map((one) => one.getAttribute('aria-label')), [
    'Change… the limit of billing (Needs role operator)', 'Lift… the limit of billing (Needs role operator)', 'Limit… web (Needs role operator)',
  ], 'labels');
}

export function onlyAnAdministratorIsLedToTheTokens() {
  const leads = (role) => {
    given({ role });
    const place = draw(html`<${Senders} data=${{ senders }} />`);
    return [texts(place, 'p.muted')[0].match(/at once, (.*?)\./)[1], [...place.querySelectorAll('p a')].map((one) => one.getAttribute('href'))];
  };
  equal(leads('admin'), ['delete its token', ['/admin/settings']], 'admin');
  equal(leads('operator'), ['ask an administrator to delete its token', []], 'operator');
}

export function aLimitThatEndsOnAnotherDaySaysWhich() {
  given({});
  equal(limitText({ ...limit, until: '2026-11-22T03:31:00Z' }), '20/s until 22 Nov 03:31 UTC, by anna: runaway import', 'with the day');
}

export function theDialogSuggestsHalfOfTheRateAndAtLeastOne() {
  equal([1000 / 3, 0.4, 0, undefined, 5e6].map((perSecond) => suggested({ perSecond })), [167, 1, 1, 1, 1_000_000], 'half');
  equal(suggested({ perSecond: 150, limit }), 20, 'the limit that is changed');
}

export function theDialogSaysWhatALimitDoes() {
  given({});
  const [billing] = senderRows({ senders });
  equal(limitLines(billing), [
    'billing sent 150/s to this instance in the last minute, 75 % of all statements.',
    'Requests beyond the limit get 429 with Retry-After; the caller can send them again. Streams are read more slowly.',
    'Statements that were accepted are kept and performed.',
    'The limit applies within a second at each instance, and still after a restart. It replaces the configured rate and burst; other configured limits still apply.',
  ], 'effect');
  const lines = limitLines({ ...billing, limit });
  equal(lines[4], 'It replaces this limit: 20/s until 03:31 UTC, set by anna at 02:30:00 UTC: “runaway import”.', 'replaced');
  equal(limitLines({ name: 'idle', perSecond: 0, limit })[0], 'idle sent nothing to this instance in the last minute.', 'idle');
}

const drawn = () => new Promise((next) => setTimeout(next));

/** Opens the dialog of a button of the first caller. */
async function asked(label, limited, then) {
  given({});
  const { fetch } = window;
  const sent = [];
  window.fetch = async (url, { body }) => {
    sent.push([url.replace('/admin/api/v1', ''), JSON.parse(body)]);
    return new Response('{}', { headers: { 'Content-Type': 'application/json' } });
  };
  let loads = 0;
  const place = draw(null);
  document.body.append(place);
  render(html`<${Senders} data=${{ senders, limited }} again=${() => loads++} /><${DialogHost} />`, place);
  const until = async (done, what) => {
    const end = Date.now() + 8000;
    while (!done()) {
      if (Date.now() > end) throw new Error(`${what}: ${texts(place, 'dialog')}`);
      await new Promise((next) => setTimeout(next, 20));
    }
  };
  try {
    place.querySelector(`button[aria-label="${label}"]`).click();
    await until(() => place.querySelector('dialog .effect'), 'opens');
    await then({
      place,
      sent,
      until,
      loads: () => loads,
      enter: (id, value) => drawn(Object.assign(place.querySelector('#' + id), { value }).dispatchEvent(new Event(id === 'until' ? 'change' : 'input'))),
      submit: () => drawn(place.querySelector('dialog [type="submit"]').click()),
      errors: () => texts(place, '.error'),
    });
  } finally {
    dialog.value = null;
    render(null, place);
    place.remove();
    window.fetch = fetch;
  }
}

export const aLimitIsPostedWithItsEndAndItsReason = () =>
  asked('Limit… billing', [], async ({ place, sent, until, loads, enter, submit }) => {
    equal(texts(place, 'h2#dialog-title, dialog .buttons button'), ['Limit billing?', 'Cancel', 'Limit billing'], 'title and buttons');
    await enter('reason', ' runaway import ');
    await submit();
    await until(() => !dialog.value, 'closes');
    equal(sent, [['/callers/limit', { caller: 'billing', perSecond: 75, reason: 'runaway import', until: '1h' }]], 'half of the rate for an hour');
    equal([notice.value, loads()], ['billing is limited to 75/s.', 1], 'said, and loaded again');
  });

export const aLimitIsChanged = () =>
  asked('Change… the limit of billing', [limit], async ({ place, sent, until, enter, submit }) => {
    equal([...place.querySelectorAll('#until option')].map((one) => one.value), ['15m', '1h', '4h', '8h', 'at'], 'each limit ends');
    await enter('perSecond', '5');
    await enter('until', '4h');
    await enter('reason', 'still too fast');
    await submit();
    await until(() => !dialog.value, 'closes');
    equal(sent, [['/callers/limit', { caller: 'billing', perSecond: 5, reason: 'still too fast', until: '4h' }]], 'sent');
  });

export const aWrongRateOrTimeIsSaidAtItsField = () =>
  asked('Limit… billing', [], async ({ place, sent, enter, submit, errors }) => {
    const shown = async () => {
      await submit();
      return [errors(), [...place.querySelectorAll('[aria-invalid="true"]')].map((one) => one.id || one.ariaLabel)];
    };
    equal(await shown(), [['▲ Enter a reason; it is recorded in the audit.'], ['reason']], 'no reason');
    await enter('reason', 'runaway import');
    for (const wrong of ['', '0', '2.5', '1000001']) {
      await enter('perSecond', wrong);
      equal(await shown(), [['▲ Enter a whole number of statements per second, from 1 to 1,000,000.'], ['perSecond']], wrong);
    }
    await enter('perSecond', '20');
    await enter('until', 'at');
    equal(await shown(), [['▲ Enter a time, such as 08:00.'], ['Time, UTC']], 'no time');
    equal(sent, [], 'nothing is posted');
  });

export const aLimitIsLifted = () =>
  asked('Lift… the limit of billing', [limit], async ({ place, sent, until, submit }) => {
    equal(texts(place, 'h2#dialog-title, dialog li'), [
      'Lift the limit of billing?',
      'The limit ends: 20/s until 03:31 UTC, set by anna at 02:30:00 UTC: “runaway import”.',
      'The configured limits of billing apply again. Without a configured rate, its rate is not limited.',
    ], 'effect');
    await submit();
    await until(() => !dialog.value, 'closes');
    equal(sent, [['/callers/lift', { caller: 'billing' }]], 'without a reason');
    equal(notice.value, 'The limit of billing is lifted.', 'said');
  });

export function whileTheDiskIsFullTheScreenSaysThatRequestsAreRefused() {
  const full = { ...problem('disk').figures, refusing: ['orders'] };
  const problems = [problem('disk', { service: null, volume: '/data', figures: full })];
  given({ services: [service('orders', { state: 'refusing', accepts: false }), service('mail')], problems });
  equal(texts(draw(html`<${Refusing} />`), 'p'), ['▲ Requests to orders are refused. ' + sentence(problems[0])], 'refused');
  given({ services: [service('orders')], problems });
  equal(texts(draw(html`<${Refusing} />`), 'p'), [], 'before it is full');
}
