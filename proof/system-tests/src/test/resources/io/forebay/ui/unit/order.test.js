/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { applyOrder, holdOrder, order, otherOrder } from '/app/store.js';
import { equal } from './expect.js';
import { given, service } from './page.js';

const fine = (...names) => given({ services: names.map((name) => service(name)) });
const worst = (name, ...others) => given({ services: [service(name, { severity: 'bad' }), ...others.map((other) => service(other))] });

export function aServiceThatGetsWorseIsFirstAtOnce() {
  holdOrder(false);
  fine('ledger', 'mail', 'orders');
  applyOrder();
  worst('orders', 'ledger', 'mail');
  equal(order.value, ['orders', 'ledger', 'mail'], 'order');
  fine('ledger', 'mail', 'orders');
  equal([order.value[0], otherOrder.value], ['orders', true], 'a change for the better may wait');
}

export function theOrderIsHeldForAWhileAfterEachMovement() {
  holdOrder(false);
  fine('ledger', 'mail', 'orders');
  applyOrder();
  holdOrder(true);
  worst('orders', 'ledger', 'mail');
  equal(order.value, ['ledger', 'mail', 'orders'], 'held');
  holdOrder(true, -1);
  fine('ledger', 'mail', 'orders');
  worst('orders', 'ledger', 'mail');
  equal(order.value, ['orders', 'ledger', 'mail'], 'the pointer has rested');
  holdOrder(false);
}
