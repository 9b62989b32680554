/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/elements.js';
import { diskWords, Tiles } from '/app/parts/tiles.js';
import { Flow } from '/app/screens/home.js';
import { frame } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const MIB = 2 ** 20;

function drawn(frame) {
  given(frame);
  return draw(html`<${Tiles} />`);
}

const words = (place, index) => texts(place, '.tile')[index] && texts(place.querySelectorAll('.tile')[index], '.big, .small');
const tone = (place, index) => place.querySelectorAll('.tile')[index].className.trim();
const problem = (kind, severity, more) => ({ id: kind, kind, severity, text: 'A sentence.', ...more });

export function homeHasThreeFiguresAlwaysInThisOrder() {
  for (const services of [[], [service('mail')], [service('mail', { behind: { v: 400 } }), service('stock')]]) {
    equal(texts(drawn({ services }), 'h2'), ['Lag', 'Burst headroom', 'Disk runway'], 'titles');
    equal(texts(drawn({ services }), '.big').some((text) => text.includes('–')), false, 'never a dash');
    equal(drawn({ services }).querySelectorAll('.meter').length, 3, 'bars');
  }
}

const lag = (services, problems = []) => words(drawn({ services, problems }), 0);

export function theLagIsThatOfTheServiceWhichIsWorst() {
  equal(lag([service('mail', { behind: { v: 0.012 } })]), ['0 s behind', 'limit 5 m'], 'calm');
  const stock = service('stock', { behind: { v: 30 }, limit: 45, state: 'growing', late: { v: { in: 15 } } });
  const mail = service('mail', { behind: { v: 60 }, state: 'draining', clear: { v: { in: 20 } } });
  equal(lag([mail, stock]), ['30 s behind', 'stock: passes its 45 s limit in 15 s'], 'by the part of its limit');
  equal(lag([mail, stock], [problem('behind', 'bad', { service: 'mail' })]), ['1 m behind', 'mail: catches up in 20 s'], 'by its alert');
  equal(lag([service('mail', { behind: { why: 'not sampled yet' } })]), ['unknown until the first sample', 'not sampled yet'], 'unknown');
}

export function theLagOfAServiceThatRefusesAndKeepsUpIsItsLimit() {
  const refuses = service('orders', { behind: { v: 0 }, state: 'refusing', trend: 'keeping_up' });
  equal(lag([refuses], [problem('refusing', 'watch', { service: 'orders' })]), ['0 s behind', 'limit 5 m'], 'no end to wait for');
}

export function theLagHasTheColourOfItsAlert() {
  const colour = (kind) => tone(drawn({ services: [service('mail', { behind: { v: 30 } })], problems: [problem(kind, 'watch', { service: 'mail' })] }), 0);
  equal(colour('behind'), 'tile watch', 'behind');
  equal(colour('paused'), 'tile watch', 'paused');
  equal(colour('failing'), 'tile fine', 'of something else');
  for (const state of ['growing', 'steady', 'draining', 'resuming']) equal(tone(drawn({ services: [service('mail', { behind: { v: 51 }, state })] }), 0), 'tile watch', 'a backlog without an alert');
  const steady = (more) => tone(drawn({ services: [service('mail', { state: 'steady', trend: 'steady', behind: { v: 6 }, ...more })] }), 0);
  equal(steady({}), 'tile', 'long batches');
  equal(steady({ state: 'resuming' }), 'tile', 'a first long batch');
  equal(steady({ late: { v: { in: 60 } } }), 'tile watch', 'its limit is in sight');
  equal(steady({ behind: { v: 31 } }), 'tile watch', 'waiting matters');
  equal(steady({ state: 'draining', trend: 'keeping_up', behind: { v: 0 } }), 'tile fine', 'a stop without messages');
  const stands = service('mail', { behind: { v: 2 }, state: 'refusing', severity: 'bad', standsStill: true });
  equal(tone(drawn({ services: [service('stock', { behind: { v: 30 } }), stands] }), 0), 'tile bad', 'without room for results');
  equal(tone(drawn({ services: [{ ...stands, behind: { v: 0 } }] }), 0), 'tile', 'no message waits');
}

const headroom = (...services) => words(drawn({ services }), 1);
const able = { can: { v: 990 }, accepted: { v: 210 } };

export function theHeadroomIsThatOfTheServiceWhichABurstMakesLateFirst() {
  const stock = service('stock', { ...able, burst: { onTime: { v: { in: 197 } } } });
  const mail = service('mail', { ...able, burst: { onTime: { v: { never: 'fast' } } } });
  equal(headroom(mail, stock), ['10× is fine for 3 m 17 s', 'then stock passes its limit'], 'the worst');
  equal(headroom(service('bills'), stock)[1], 'then stock passes its limit; bills is not measured yet', 'another one is unknown');
  equal(headroom(service('bills', { canAtLeast: 7, burst: { onTime: { v: { in: 94 } } } }), stock), ['10× is fine for 3 m 17 s', 'then stock passes its limit; bills is not measured yet'], 'a bound hides no measurement');
  equal(headroom(service('stock', { canAtLeast: 900, burst: { onTime: { v: { in: 60 } } } })), ['10× is fine for at least 1 m', 'then stock passes its limit'], 'a lower bound');
  const rated = (onTime, more) => headroom(service('stock', { ...able, burst: { rate: { v: 2100 }, onTime: { v: onTime }, ...more } }))[1];
  equal(rated({ in: 197 }), 'then stock passes its limit (10× is 2,100/s)', 'its rate');
  equal(rated({ never: 'fast' }), 'no service passes its limit (10× is 2,100/s)', 'its rate if it is never late');
  equal(rated({ never: 'fast' }, { accepts: { v: { in: 60 } } }), 'then the disk is full (10× is 2,100/s)', 'its rate if the disk is full');
  equal(headroom(mail), ['10× is fine for more than 30 d', 'no service passes its limit'], 'never late');
  equal(headroom(service('stock', { ...able, burst: { onTime: { v: { never: 'fast' } }, accepts: { v: { in: 33_600 } } } })), ['10× is fine for 9 h 20 m', 'then the disk is full'], 'until the disk is full');
  equal(headroom(service('stock', { ...able, burst: { onTime: { v: { passed: true } } } })), ['no room for a burst', 'stock: too many messages wait already'], 'none');
  equal(headroom(service('stock', { burst: { onTime: { why: 'full' }, accepts: { v: { passed: true } } } })), ['no room for a burst', 'stock accepts nothing'], 'a full disk');
  equal(headroom(mail, service('stock', { ...able, state: 'waiting_for_lock', burst: { onTime: { why: 'it waits for a lock' } } })), ['no room for a burst', 'stock performs nothing: it waits for a lock'], 'a lock');
  const paused = service('stock', { ...able, state: 'paused', burst: { onTime: { v: { in: 60 }, why: 'the most that was seen' } } });
  equal(headroom(paused), ['no room for a burst', 'stock performs nothing: it is paused'], 'a pause');
  equal(headroom(mail, paused), ['10× is fine for more than 30 d', 'no service passes its limit'], 'a pause hides no other');
}

export function withoutACapacityTheHeadroomIsALowerBound() {
  equal(headroom(service('mail')), ['unknown until the first busy second', 'the capacity is measured while messages wait'], 'unknown');
  equal(headroom(service('mail'), service('bills', { canAtLeast: 4300, burst: { onTime: { why: 'no busy minute' } } })), ['at least 4,300/s seen', 'bills: how long a burst is fine is not known yet'], 'seen');
  const bound = service('stock', { canAtLeast: 900, accepted: { v: 890 }, burst: { onTime: { v: { in: 60 } } } });
  equal(tone(drawn({ services: [bound], problems: [problem('behind', 'watch', { service: 'stock' })] }), 1), 'tile', 'a bound is no warning');
}

export function theHeadroomHasTheColourOfItsAlert() {
  const stock = service('stock', { ...able, burst: { onTime: { v: { in: 197 } } } });
  const colour = (...problems) => tone(drawn({ services: [stock], problems }), 1);
  equal(colour(), 'tile fine', 'no alert');
  equal(tone(drawn({ services: [stock, service('bills')] }), 1), 'tile', 'another one is unknown');
  equal(colour(problem('database', 'bad', { service: 'stock' })), 'tile bad', 'a busy database');
  equal(colour(problem('behind', 'watch', { service: 'stock' })), 'tile watch', 'used up');
  equal(colour(problem('failing', 'bad', { service: 'stock' })), 'tile fine', 'of something else');
  const late = drawn({ services: [stock, service('bills', { canAtLeast: 7 })], problems: [problem('late', 'watch', { service: 'bills' })] });
  equal([...words(late, 1), tone(late, 1)], ['10× is fine for 3 m 17 s', 'bills is behind already; then stock passes its limit', 'tile watch'], 'another one is behind');
  const beside = (burst) => words(drawn({ services: [service('stock', { ...able, burst }), service('bills', { canAtLeast: 7 })], problems: [problem('late', 'bad', { service: 'bills' })] }), 1)[1];
  equal(beside({ onTime: { v: { never: 'fast' } } }), 'bills is behind already; no other service passes its limit', 'no other');
  equal(beside({ onTime: { v: { never: 'fast' } }, accepts: { v: { in: 60 } } }), 'bills is behind already; then the disk is full', 'a disk');
  equal(tone(drawn({ services: [stock, service('bills', { canAtLeast: 7 })], problems: [problem('late', 'watch', { service: 'stock' }), problem('behind', 'bad', { service: 'bills' })] }), 1), 'tile bad', 'the worse of both');
  equal(tone(drawn({ services: [service('stock', { ...able, burst: { onTime: { v: { passed: true } } } })] }), 1), 'tile bad', 'no room for a burst');
}

const disk = { volume: '/data', sizeBytes: { v: 600 * MIB }, usedBytes: { v: 2 * MIB }, stopBytes: { v: 400 * MIB }, toFreeBytes: { v: 0 } };
const runway = (middle, low, high) => ({ v: { middle, low, high } });
const room = (more, problems) => words(drawn({ tiles: { disk: { ...disk, ...more } }, problems }), 2);

export function theRunwayIsATimeWithItsRange() {
  equal(room({ runway: runway({ in: 32_400 }, { in: 28_800 }, { in: 36_000 }) }), ['likely 9 h', 'at least 8 h'], 'a range');
  equal(room({ runway: runway({ in: 0.998 }, { in: 0.499 }, { in: 1.996 }) })[0], 'likely 1 s', 'no forecast is more accurate');
  equal(room({ runway: { ...runway({ never: '' }, { in: 10_800 }, { never: '' }), why: 'from the growth of the last 9 m' } }), ['at least 3 h', 'a longer forecast needs more history'], 'a short history');
  equal(room({ runway: { ...runway({ never: '' }, { never: '' }, { never: '' }), why: 'from the growth of the last 2 d' } }), ['more than 30 d', 'from the growth of the last 2 d'], 'never');
  equal(room({ runway: { why: 'needs a minute of samples' } }), ['not known yet', '398 MiB free; needs a minute of samples'], 'unknown');
  equal(room({ runway: runway({ passed: true }) })[0], 'not known yet', 'a forecast that is over');
  const begun = (middle, low) => ({ v: { middle, low, begun: { in: 720 } } });
  equal(room({ runway: begun({ in: 9000 }, { in: 7200 }) }), ['12 m at this rate', 'something else fills the disk'], 'sooner than a forecast');
  equal(room({ runway: begun({ never: '' }, { never: '' }) })[0], '12 m at this rate', 'without a forecast');
  const toned = (...of) => diskWords({ ...disk, runway: begun(...of) }).tone;
  equal([toned({ in: 9000 }, { in: 7200 }), toned({ never: '' }, { in: 240 })], ['bad', 'watch'], 'no better than its forecast');
  equal(words(drawn({}), 2), ['not on this host', 'the queues are at a broker: watch its disks'], 'no disk');
}

export function aFullDiskIsRedAlsoBeforeItsAlertOpens() {
  equal(tone(drawn({ tiles: { disk: { ...disk, usedBytes: disk.stopBytes } } }), 2), 'tile bad', 'full');
}

export function theSeverityOfATileHasAShapeAndAWord() {
  const services = [service('mail', { behind: { v: 30 } })];
  const shown = (problems) => texts(drawn({ services, problems }), '.severity');
  equal(shown([problem('behind', 'bad', { service: 'mail' })]), ['▲Severity: bad'], 'bad; the others are unknown');
  equal(shown([]), ['✓Severity: fine'], 'fine');
}

export function aFullDiskNamesTheReserveAndWhatToFree() {
  const full = { usedBytes: { v: 403 * MIB }, toFreeBytes: { v: 23 * MIB }, runway: runway({ passed: true }) };
  equal(room(full), ['Full', 'messages are refused: 197 MiB are left as reserve; at least 23 MiB must be freed'], 'full');
  equal(room({ ...full, usedBytes: disk.sizeBytes })[1], 'messages are refused: at least 23 MiB must be freed', 'nothing is left');
}

export function theRunwayHasTheColourOfItsAlert() {
  const soon = { ...disk, runway: runway({ in: 60 }, { in: 40 }, { in: 90 }) };
  const colour = (problems) => tone(drawn({ tiles: { disk: soon }, problems }), 2);
  equal(colour([]), 'tile', 'no alert yet');
  equal(tone(drawn({ tiles: { disk: { ...disk, runway: runway({ in: 2e6 }, { in: 1e6 }, { in: 3e6 }) } } }), 2), 'tile fine', 'far away');
  equal(tone(drawn({ tiles: { disk: { ...disk, runway: { why: 'too few samples' } } } }), 2), 'tile', 'unknown');
  equal(colour([problem('disk', 'bad', { volume: '/data' })]), 'tile bad', 'with its alert');
}

/** The newest value may not be known yet. */
export async function theChartOfHomeHasItsNumbersInItsTable() {
  given({});
  const flow = { first: '2026-11-20T02:30:37Z', step: 10, accepted: [20, 30, null], performed: [10, 25, null] };
  frame.value = { ...frame.value, flow };
  const place = document.body.appendChild(draw(html`<${Flow} />`));
  try {
    equal(texts(place, 'figcaption p'), ['Messages per second, of all services.'], 'sentence');
    place.querySelector('figcaption button').click();
    await new Promise((drawn) => setTimeout(drawn));
    equal(texts(place, 'tbody td'), ['20/s', '10/s', '30/s', '25/s', '–', '–'], 'as a table');
  } finally {
    place.remove();
  }
}
