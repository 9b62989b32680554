/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { limitRows, Refusing, senderRows } from '/app/screens/door.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

export function eachLimitOfACallerHasARow() {
  const rows = limitRows([
    { name: 'a', limits: [{ name: 'rate' }, { name: 'burst' }] },
    { name: 'b', limits: [{ name: 'max-streams' }] },
  ]);
  equal(rows.map(({ caller, limit, first }) => [caller.name, limit.name, first]), [['a', 'rate', true], ['a', 'burst', false], ['b', 'max-streams', true]], 'rows');
}

export function aCallerHasItsRateAndItsShareOfAllCallers() {
  const senders = { lastMinute: 12000, most: [{ name: 'shop', lastMinute: 9000 }, { name: 'web', lastMinute: 600 }], more: 3 };
  equal(senderRows(senders), [{ name: 'shop', rate: '150/s', share: '75 %' }, { name: 'web', rate: '10/s', share: '5 %' }], 'rows');
}

export function whileTheDiskIsFullTheDoorSaysThatRequestsAreRefused() {
  const problems = [{ id: 'disk~_data', kind: 'disk', severity: 'bad', text: '/data is full: orders refuses messages (347 so far) until space is freed.' }];
  given({ services: [service('orders', { state: 'refusing', accepts: false }), service('mail')], problems });
  equal(texts(draw(html`<${Refusing} />`), 'p'), ['▲ Requests to orders are refused. ' + problems[0].text], 'refused');
  given({ services: [service('orders')], problems });
  equal(texts(draw(html`<${Refusing} />`), 'p'), [], 'before it is full');
}
