/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { ActionButton } from '/app/parts/dialog.js';
import { html } from '/app/parts/elements.js';
import { Banner } from '/app/parts/shell.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const orders = { services: ['orders'], since: '2026-11-20T02:30:00Z' };
const system = { services: [], since: '2026-11-20T02:30:00Z' };

function banner(frame) {
  given({ services: [service('orders', { reason: 'no route to the host. Retrying.' })], ...frame });
  return draw(html`<${Banner} />`);
}

export function isNotThereWhileDatabasesRespond() {
  equal(banner({}).children.length, 0, 'banner');
}

export function namesEachDatabaseThatIsAwayWithTheError() {
  const place = banner({ databasesAway: [orders, system] });
  equal(texts(place, '.banner.bad p'), [
    'The database of orders has not responded since 02:30:00 UTC. So far: 1 m 7 s. The error: no route to the host…',
    'The system database has not responded since 02:30:00 UTC. So far: 1 m 7 s. Sessions and tokens stay valid; logins and commands are refused.',
  ], 'lines');
}

/** How long it lasts changes every second. */
export function screenReadersAnnounceADatabaseOnceAndNotHowTimePasses() {
  equal(texts(banner({ databasesAway: [orders] }), '[role=alert]'), ['The database of orders has not responded since 02:30:00 UTC.'], 'announced');
}

export function commandsSayThatTheyNeedTheSystemDatabase() {
  const why = () => draw(html`<${ActionButton}>Pause…<//>`).querySelector('button').dataset.why;
  given({ databasesAway: [orders] });
  equal(why(), undefined, 'with the database of a gateway away');
  given({ databasesAway: [system] });
  equal(why(), 'The system database does not respond', 'with the system database away');
}
