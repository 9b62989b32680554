/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { ActionButton } from '/app/parts/dialog.js';
import { html } from '/app/parts/elements.js';
import { Banner } from '/app/parts/shell.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const orders = { database: 'postgresql://db/shop', system: false, text: 'The database of orders has not responded.', outlook: 'orders is late in 41 s.' };
const system = { database: 'postgresql://db/forebay', system: true, text: 'The system database has not responded.', outlook: 'Commands are refused.' };

function banner(frame) {
  given(frame);
  return draw(html`<${Banner} />`);
}

export function isNotThereWhileDatabasesRespond() {
  equal(banner({}).children.length, 0, 'banner');
}

export function namesEachDatabaseThatIsAwayWithTheOutlook() {
  const place = banner({ databasesAway: [orders, system] });
  equal(texts(place, '.banner.bad p'), [orders, system].map((one) => `${one.text} ${one.outlook}`), 'lines');
}

/** The outlook changes every second. */
export function screenReadersAnnounceADatabaseOnceAndNotHowTimePasses() {
  equal(texts(banner({ databasesAway: [orders] }), '[role=alert]'), [orders.text], 'announced');
}

export function commandsSayThatTheyNeedTheSystemDatabase() {
  const why = () => draw(html`<${ActionButton}>Pause…<//>`).querySelector('button').dataset.why;
  given({ databasesAway: [orders] });
  equal(why(), undefined, 'with the database of a gateway away');
  given({ databasesAway: [system] });
  equal(why(), 'The system database does not respond', 'with the system database away');
}
