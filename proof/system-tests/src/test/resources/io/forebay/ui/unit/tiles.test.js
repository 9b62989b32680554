/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { Tiles } from '/app/parts/tiles.js';
import { ServiceRow } from '/app/screens/service-row.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const none = { failed: 0, running: 0, severity: 'fine', text: '', execution: null };

function jobs(jobs, role = 'operator') {
  given({ role, tiles: jobs === null ? {} : { jobs: { ...none, ...jobs } } });
  const place = draw(html`<${Tiles} />`);
  return [texts(place, 'h2, .big, .small, button'), place.querySelector('section')?.className, place];
}

export function theTileOfJobsSaysWhatFailedAndOffersToRestartIt() {
  const [words, tone, place] = jobs({ failed: 2, running: 1, severity: 'bad', text: 'letters: disk full (IOException)', execution: 7 });
  equal(words, ['Jobs', '2 failed', 'Restart…', 'letters: disk full (IOException) · 1 running'], 'words');
  equal(tone, 'tile bad', 'severity');
  equal(place.querySelector('h2 a').getAttribute('href'), '/admin/jobs', 'link');
}

export function theTileOfJobsIsQuietIfNothingFailed() {
  equal(jobs({})[0], ['Jobs', 'None failed', 'No job is running.'], 'idle');
  equal(jobs({ running: 1, text: 'letters' })[0], ['Jobs', '1 running', 'letters'], 'running');
}

export function withoutJobsThereIsNoTileOfThem() {
  equal(jobs(null)[0], [], 'tiles');
}

export function aViewerCannotRestartAJob() {
  equal(jobs({ failed: 1, execution: 7 }, 'viewer')[2].querySelector('button').dataset.why, 'Needs role operator', 'why');
}

function drawn(tiles) {
  given({ services: [service('mail'), service('stock')], tiles });
  return draw(html`<${Tiles} />`);
}

export function theDatabaseIsAsBusyAsItsBusiestServiceWhichIsNamed() {
  const place = drawn({ database: { busy: { v: 0.93 }, service: 'stock', text: 'stock, the busiest of 2 services' } });
  equal(texts(place, 'h2, .big, .small'), ['Database busy', '93 %', 'stock, the busiest of 2 services · last 10 s'], 'words');
  equal(place.querySelector('h2 a').getAttribute('href'), '/admin/services/stock', 'link');
  equal(place.querySelectorAll('.meter').length, 1, 'bar');
}

export function aFullDiskNamesTheReserveAndWhatToFree() {
  const disk = { volume: '/data', sizeBytes: { v: 600 * 2 ** 20 }, usedBytes: { v: 403 * 2 ** 20 }, stopBytes: { v: 400 * 2 ** 20 }, toFreeBytes: { v: 23 * 2 ** 20 }, runway: { v: { middle: { passed: true } } } };
  equal(texts(drawn({ disk }), '.big, .small'), ['Full', 'messages are refused: 197 MiB are left as reserve; at least 23 MiB must be freed · 403 MiB of 600 MiB'], 'full');
  const nothing = { ...disk, usedBytes: disk.sizeBytes };
  equal(texts(drawn({ disk: nothing }), '.small'), ['messages are refused: at least 23 MiB must be freed · 600 MiB of 600 MiB'], 'nothing is left');
  const young = { ...disk, usedBytes: { v: 2 * 2 ** 20 }, runway: { why: 'needs a minute of samples' } };
  equal(texts(drawn({ disk: young }), '.small'), ['no forecast yet: needs a minute of samples; 200 MiB more are the reserve · 2 MiB of 400 MiB'], 'no forecast');
  const freed = { ...disk, usedBytes: { v: 2 * 2 ** 20 }, toFreeBytes: { v: 0 } };
  equal(texts(drawn({ disk: freed }), '.big, .small'), ['398 MiB free', 'new forecast in a moment; 200 MiB more are the reserve · 2 MiB of 400 MiB'], 'an old forecast');
  equal(drawn({ disk: freed }).querySelector('.small').dataset.why, 'Accepting stops at 400 MiB; the disk has 600 MiB.', 'what may be used');
}

export function noForecastIsMoreAccurateThanASecond() {
  const disk = { volume: '/data', sizeBytes: { v: 600 * 2 ** 20 }, usedBytes: { v: 300 * 2 ** 20 }, stopBytes: { v: 400 * 2 ** 20 }, toFreeBytes: { v: 0 }, runway: { v: { middle: { in: 0.998 }, low: { in: 0.499 }, high: { in: 1.996 } } } };
  equal(texts(drawn({ disk }), '.big, .small'), ['Full in 1 s', 'likely 1 s – 2 s · 300 MiB of 400 MiB'], 'words');
}

export function aDatabaseThatDoesNotRespondIsNotBusy() {
  given({ services: [service('mail')], tiles: { database: { busy: { v: 0.43 }, service: 'mail', text: 'mail' } }, databasesAway: [{ database: 'postgresql://db/shop', services: ['mail'] }] });
  equal(texts(draw(html`<${Tiles} />`), 'h2, .big, .small'), ['Database', 'Not responding', 'postgresql://db/shop'], 'words');
}

export function whatIsNotMeasuredHasNoBar() {
  const place = drawn({ database: { busy: { why: 'no worker' }, service: null, text: '' } });
  equal(texts(place, '.big, .small'), ['Not measured', 'no worker'], 'words');
  equal(place.querySelectorAll('.meter').length, 0, 'bars');
}

export function aServiceWithoutAMeasuredCapacityHasNoBarOfIt() {
  given({ services: [service('mail', { can: { why: 'no backlog' } }), service('bills', { can: { why: 'short' }, canAtLeast: 120 }), service('stock', { can: { v: 100 }, accepted: { v: 50 } })] });
  const row = (name) => draw(html`<table><tbody><${ServiceRow} name=${name} /></tbody></table>`);
  equal(texts(row('mail'), '.c-rates small'), ['capacity not measured'], 'words');
  equal(texts(row('bills'), '.c-rates small'), ['capacity at least 120'], 'a lower bound');
  equal(row('bills').querySelectorAll('svg.bullet').length, 0, 'no bar of a lower bound');
  equal(row('mail').querySelectorAll('svg.bullet').length, 0, 'no bar');
  equal(texts(row('stock'), '.c-rates small'), ['capacity 100'], 'measured');
  equal(row('stock').querySelectorAll('svg.bullet').length, 1, 'bar');
}

export function theBarOfASlowDatabaseHasItsMarkAtWhatItPerformsNow() {
  const stock = { can: { v: 100 }, accepted: { v: 50 } };
  given({ services: [service('stock', stock), service('slow', { ...stock, slowerNow: { perSecond: 20, times: 5 } })] });
  const mark = (name) => Number(draw(html`<table><tbody><${ServiceRow} name=${name} /></tbody></table>`).querySelector('rect.can').getAttribute('x'));
  equal(mark('stock'), 95.2, 'as usual');
  equal(mark('slow'), 40, 'less than is accepted');
}

export function theTileOfADiskIsAsBadAsItsAlert() {
  const runway = { v: { middle: { in: 60 }, low: { in: 40 }, high: { in: 90 } } };
  const disk = { volume: '/data', usedBytes: { v: 1e9 }, stopBytes: { v: 2e9 }, sizeBytes: { v: 3e9 }, toFreeBytes: { v: 0 }, runway };
  const tone = (problems) => {
    given({ tiles: { disk }, problems });
    return draw(html`<${Tiles} />`).querySelector('section').className.trim();
  };
  equal(tone([]), 'tile', 'no alert yet');
  equal(tone([{ id: 'disk~/data', kind: 'disk', volume: '/data', severity: 'bad', text: 'Full soon.' }]), 'tile bad', 'with its alert');
}

/** Nothing else of it changes while no message comes. */
export async function theRowOfAPausedServiceSaysForHowLong() {
  const paused = { at: '2026-11-20T02:30:07Z', by: 'olga', reason: 'migration' };
  const services = [service('mail', { state: 'paused', paused })];
  given({ services, at: '2026-11-20T02:31:07Z' });
  const row = draw(html`<table><tbody><${ServiceRow} name="mail" /></tbody></table>`);
  equal(texts(row, '.c-state small'), ['for 1 m, by olga', 'migration'], 'at first');
  given({ services, at: '2026-11-20T02:33:07Z' });
  await new Promise((drawn) => setTimeout(drawn));
  equal(texts(row, '.c-state small'), ['for 3 m, by olga', 'migration'], 'two minutes later');
}

/** Workers that catch up are busy, and all is well. */
export function busyWorkersHaveTheColourOfTheirAlert() {
  const tiles = { database: { busy: { v: 1 }, service: 'mail', text: 'mail' } };
  const colour = (problems) => {
    given({ services: [service('mail')], tiles, problems });
    return draw(html`<${Tiles} />`).querySelector('.tile').className.trim();
  };
  const problem = (kind, severity, of = 'mail') => ({ kind, severity, service: of, text: 'A sentence.' });
  equal(colour([]), 'tile', 'no alert');
  equal(colour([problem('failing', 'bad')]), 'tile', 'of something else');
  equal(colour([problem('behind', 'bad', 'stock')]), 'tile', 'of another service');
  equal(colour([problem('behind', 'watch')]), 'tile watch', 'behind');
  equal(colour([problem('database', 'bad')]), 'tile bad', 'busy');
}

export function jobsAreUnknownWhileTheSystemDatabaseIsAway() {
  const jobs = { failed: 0, running: 0, severity: 'fine', text: '', execution: null };
  const words = (databasesAway) => {
    given({ services: [service('mail')], tiles: { jobs }, databasesAway });
    return texts(draw(html`<${Tiles} />`), '.big, .small');
  };
  const away = { database: 'postgresql://db/shop', system: true, services: ['mail'], text: 'The database has not responded.' };
  equal(words([]), ['None failed', 'No job is running.'], 'known');
  equal(words([away]), ['Unknown', 'The system database is not responding.'], 'unknown');
}
