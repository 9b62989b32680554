/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { ActionButton } from '/app/parts/dialog.js';
import { Banner, TopBar } from '/app/parts/topbar.js';
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

export function aReadOnlyLoginIsMarkedEverywhere() {
  const place = banner({ role: 'viewer', readOnly: true, databasesAway: [system] });
  equal(texts(place, '.banner p').at(-1), 'You are logged in read-only, because the system database did not respond at your login. Hidden: commands, and Messages, Door and Audit (role operator) and Users (role admin).', 'banner');
  equal(texts(draw(html`<${TopBar} />`), '.who small'), ['read-only'], 'bar');
  equal(draw(html`<${ActionButton}>Pause…<//>`).querySelector('button').dataset.why, 'You are logged in read-only', 'button');
}

export function whoIsLoggedInReadOnlyIsOfferedToLogInAgainWhenThatIsPossible() {
  for (const databasesAway of [[], [orders]]) {
    const place = banner({ role: 'viewer', readOnly: true, databasesAway });
    equal(texts(place, 'button'), ['Log in again'], `button, with ${databasesAway.length} others away`);
  }
  equal(texts(banner({ role: 'viewer', readOnly: true, databasesAway: [system] }), 'button'), [], 'while it is away');
}
