/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { backToNow, PastBanner, shownAt } from '/app/parts/at.js';
import { lonely } from '/app/parts/chart.js';
import { currentRange } from '/app/parts/range.js';
import { RestartLinks } from '/app/parts/restarts.js';
import { go, href, serviceHref } from '/app/router.js';
import { stoppedWords } from '/app/screens/past.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

/** Shows an address; the time of the server is 02:31:07. */
function open(address) {
  given({});
  go('/admin' + address);
}

export function aMomentIsReadFromTheAddressAsUTC() {
  open('/services/a?at=2026-11-20T02:00Z');
  equal(shownAt().iso, '2026-11-20T02:00:00.000Z', 'without seconds');
  open('/services/a?at=2026-11-20T02:00:30');
  equal(shownAt().iso, '2026-11-20T02:00:30.000Z', 'without an offset');
  open('/services/a');
  equal(shownAt(), null, 'now');
}

export function whatIsNoMomentOfThePastIsSaidAndNowIsShown() {
  for (const [at, text] of [['yesterday', '“yesterday” is not a time such as 2026-11-27T03:00Z. You see now.'], ['2026-11-20T03:00Z', '20 Nov 03:00:00 UTC has not come yet. You see now.']]) {
    open('/services/a?at=' + at);
    equal(texts(draw(html`<${PastBanner} />`), 'p'), [text], at);
    equal(currentRange().live, true, at + ' is live');
  }
}

export function theBannerSaysWhichTimeIsShownAndLeadsBackToNow() {
  open('/services/a?at=2026-11-20T02:00Z&from=2026-11-20T01:00:00Z&to=2026-11-20T02:10:00Z&t=latency');
  const place = draw(html`<${PastBanner} />`);
  equal(texts(place, 'p'), ['You see Forebay as it was at 20 Nov 02:00:00 UTC, 31 m 7 s ago.'], 'text');
  equal(place.querySelector('a').getAttribute('href'), '/admin/services/a?t=latency', 'back');
  open('/services/a?at=2026-11-20T02:00Z&from=-6h');
  equal(backToNow(), '/admin/services/a?from=-6h', 'a relative range is kept');
  open('/jobs?at=2026-11-20T02:00Z');
  equal(texts(draw(html`<${PastBanner} />`), 'p'), ['You see now: what this screen shows is not recorded.'], 'jobs');
}

export function linksBetweenScreensThatAreRecordedKeepTheMoment() {
  open('/services/a?at=2026-11-20T02:00Z');
  equal([serviceHref('b'), href('/'), href('/jobs')], ['/admin/services/b?at=2026-11-20T02%3A00Z', '/admin/?at=2026-11-20T02%3A00Z', '/admin/jobs'], 'links');
  open('/jobs');
  equal(serviceHref('b'), '/admin/services/b', 'from now');
}

export function aRangeIsAroundTheMoment() {
  open('/services/a?at=2026-11-20T02:00Z');
  equal(currentRange(), { name: '-1h', from: '2026-11-20T01:30:00.000Z', to: '2026-11-20T02:30:00.000Z', seconds: 3600, live: false }, 'an hour');
  open('/services/a?at=2026-11-20T02:00Z&from=-15m');
  equal(currentRange().from, '2026-11-20T01:52:30.000Z', 'a quarter');
  open('/services/a?at=2026-11-20T02:00Z&from=2026-11-20T01:00:00Z&to=2026-11-20T02:10:00Z');
  equal(currentRange().to, '2026-11-20T02:10:00Z', 'the given one');
}

export function restartsAreLinksToTheMomentBefore() {
  open('/services/a?t=latency');
  const place = draw(html`<${RestartLinks} restarts=${[{ stoppedAt: '2026-11-20T02:00:00Z', startedAt: '2026-11-20T02:01:00Z', clean: false }]} />`);
  equal(texts(place, 'a')[0].startsWith('the unclean stop at '), true, 'text');
  equal(place.querySelector('a').getAttribute('href'), '/admin/services/a?at=2026-11-20T02%3A00%3A00Z&t=latency', 'link');
  equal(stoppedWords({ stoppedAt: '2026-11-20T02:00:00Z', startedAt: '2026-11-20T02:01:00Z', clean: false }), 'This instance did not run: stopped uncleanly at 20 Nov 02:00:00 UTC, started again at 20 Nov 02:01:00 UTC.', 'in words');
}

export function aValueWithoutANeighbourIsAPoint() {
  equal(lonely([null, 1, null, 2, 3, undefined, 4]), [1, 6], 'points');
  equal(lonely([0]), [0], 'the first');
}
