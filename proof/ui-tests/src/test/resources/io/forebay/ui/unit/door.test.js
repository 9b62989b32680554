/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { limitRows } from '/app/screens/door.js';
import { equal } from './expect.js';

export function eachLimitOfACallerHasARow() {
  const rows = limitRows([
    { name: 'a', limits: [{ name: 'rate' }, { name: 'burst' }] },
    { name: 'b', limits: [{ name: 'max-streams' }] },
  ]);
  equal(rows.map(({ caller, limit, first }) => [caller.name, limit.name, first]), [['a', 'rate', true], ['a', 'burst', false], ['b', 'max-streams', true]], 'rows');
}
