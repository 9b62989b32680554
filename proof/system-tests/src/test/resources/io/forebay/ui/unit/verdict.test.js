/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { sentence } from '/app/alerts.js';
import { html } from '/app/parts/elements.js';
import { serviceOf, Verdict } from '/app/parts/verdict.js';
import { route } from '/app/router.js';
import { Limited, UncleanStop } from '/app/screens/home.js';
import { ServiceScreen } from '/app/screens/service.js';
import { frame, link } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, problem, service, texts } from './page.js';

const said = (...kinds) => kinds.map((kind) => sentence(problem(kind)));
function verdict(frame) {
  given(frame);
  return draw(html`<${Verdict} />`);
}

const places = (place) => [...place.querySelectorAll('a.button')].map((link) => link.getAttribute('href'));

export function showsTheSentenceAndTheFirstThreeProblems() {
  const place = verdict({ severity: 'bad', services: [service('a')], problems: ['late', 'stalled', 'failing', 'dead', 'burst'].map((kind) => problem(kind)) });
  equal(place.querySelector('section').className, 'verdict bad', 'severity');
  equal(texts(place, 'h1'), ['▲ a needs attention.'], 'headline');
  equal(texts(place, 'section > ul > li > p > span:last-child'), said('late', 'stalled', 'failing'), 'problems');
  equal(texts(place, '.more summary'), ['2 more'], 'the others');
  equal(texts(place, '.more li > p > span:last-child'), said('dead', 'burst'), 'behind a fold');
}

export function servicesThatWaitForOneDatabaseAreOneProblem() {
  const waiting = (name) => problem('waiting', { id: name, service: name, figures: { ...problem('waiting').figures, outage: { since: '2026-11-20T02:30:00Z', until: null } } });
  const place = verdict({ services: ['a', 'b', 'c', 'd'].map((name) => service(name)), problems: ['a', 'b', 'c', 'd'].map(waiting) });
  equal(texts(place, 'li .button, .more summary'), ['Open a'], 'one button');
  equal(texts(place, 'li > p > span:last-child')[0].startsWith('a, b, c and 1 more wait for their database'), true, 'one sentence');
}

export function showsNoListIfAllServicesKeepUp() {
  equal(verdict({}).querySelectorAll('ul, .more').length, 0, 'list');
}

export function aProblemLinksToTheScreenThatExplainsIt() {
  equal(places(verdict({ problems: [problem('late'), problem('failing'), problem('dead')] })),
    ['/admin/services/a', '/admin/services/a?t=failed', '/admin/services/a?t=failed'], 'of a service');
  const host = { service: null, volume: '/data' };
  equal(places(verdict({ problems: [problem('disk', host), problem('instance', host)] })),
    ['/admin/storage', '/admin/'], 'of the host');
}

export function theScreenOfAServiceHasItsAlertsAsHomeDoes() {
  given({ services: [service('a'), service('b')], problems: [problem('late'), problem('failing'), problem('dead', { service: 'b' })] });
  route.value = { path: '/services/a', parts: ['services', 'a'], query: { t: 'config' } };
  equal(texts(draw(html`<${ServiceScreen} />`), '.lag > p').slice(1), said('late', 'failing').map((one) => `▲ ${one}`), 'its own');
}

export function theLastErrorIsNotOverWhileAServiceWaitsForALock() {
  given({ services: [service('a', { state: 'waiting_for_lock', lastError: { at: '2026-11-20T02:30:00Z', message: 'too many connections' } })] });
  route.value = { path: '/services/a', parts: ['services', 'a'], query: { t: 'config' } };
  const [error] = texts(draw(html`<${ServiceScreen} />`), '.lag > p').filter((text) => text.endsWith('UTC: too many connections'));
  equal(error.split(' 20 ')[0], 'Last error', 'words');
}

export function aProblemOfAJobLeadsToItsExecution() {
  const job = { service: null, job: 'letters' };
  const place = verdict({ problems: [problem('job', { ...job, execution: 7 }), problem('job', job)] });
  equal(places(place), ['/admin/jobs/executions/7', '/admin/jobs/letters'], 'places');
}

export function offersToResumeAPausedServiceAndNeverToPauseOne() {
  const problems = [problem('database'), problem('paused', { service: 'b' }), problem('dead')];
  const place = verdict({ services: [service('a'), service('b', { state: 'paused' })], problems });
  equal(texts(place, 'button:not(.quiet)'), ['Resume…'], 'buttons');
}

/** A pause would only make it later. */
export function aServiceThatIsBehindIsNotPaused() {
  const behind = (state) => verdict({ services: [service('a', { state })], problems: [problem('behind')] });
  equal(texts(behind('draining'), 'button:not(.quiet)'), [], 'buttons');
  equal(places(behind('draining')), ['/admin/services/a'], 'it catches up');
  equal(places(behind('growing')), ['/admin/services/a'], 'it grows');
}

export function aViewerCannotPressTheButtons() {
  const place = verdict({ role: 'viewer', services: [service('a', { state: 'paused' })], problems: [problem('paused')] });
  equal([...place.querySelectorAll('button')].map((button) => button.dataset.why), ['Needs role operator'], 'why');
}

export function aServiceThatIsBehindHasTheColourOfTheServer() {
  const place = verdict({ severity: 'watch', services: [service('a'), service('b', { trend: 'steady', behind: { v: 40 } })] });
  equal(place.querySelector('section').className, 'verdict watch', 'colour');
  equal(texts(place, 'h1'), ['● b is 40 s behind; the rest keeps up.'], 'headline');
}

export function withoutAConnectionTheVerdictIsOfItsTimeAndNotGreen() {
  given({ services: [service('a')] });
  link.value = { state: 'lost', retryAt: 0 };
  const fine = draw(html`<${Verdict} />`);
  equal(fine.querySelector('section').className, 'verdict past', 'not fine');
  equal(texts(fine, 'h1'), ['◌ At 02:31:07 UTC: a keeps up.'], 'sentence');
  equal(fine.querySelectorAll('.fine').length, 0, 'green shapes');
  given({ services: [service('a')], severity: 'bad', problems: [problem('late')] });
  link.value = { state: 'lost', retryAt: 0 };
  const bad = draw(html`<${Verdict} />`);
  equal(bad.querySelector('section').className, 'verdict bad', 'what was bad stays bad');
  equal(texts(bad, 'h1'), ['▲ At 02:31:07 UTC: a needs attention.'], 'its sentence');
}

/** Viewers have no such screen, and senders within the process are not on it. */
export function aBurstOfTheDoorLinksToItsCallers() {
  const late = problem('late', { figures: { ...problem('late').figures, cause: { timesUsual: 12, usualOver: 600 } } });
  const buttons = (more) => places(verdict({ problems: [late], door: { receives: true, limited: [] }, ...more }));
  equal(buttons({}), ['/admin/services/a', '/admin/callers'], 'over HTTP');
  equal(buttons({ door: { receives: false, limited: [] } }), ['/admin/services/a'], 'nothing over HTTP');
  equal(buttons({ role: 'viewer' }), ['/admin/services/a'], 'a viewer');
  equal(buttons({ problems: [problem('late')] }), ['/admin/services/a'], 'another cause');
}

export function aLimitThatAnOperatorHasSetIsALine() {
  const limited = [{ caller: 'billing', perSecond: 60, reason: 'runaway import', by: 'anna', at: '2026-11-20T02:30:00Z', until: '2026-11-20T03:31:00Z' }];
  const line = (frame) => {
    given({ door: { receives: true, limited }, ...frame });
    return draw(html`<${Limited} />`);
  };
  equal(texts(line({}), 'p'), ['billing is limited to 60/s until 03:31 UTC, by anna: runaway import. Callers'], 'line');
  equal(line({}).querySelector('a').getAttribute('href'), '/admin/callers', 'link');
  equal(texts(line({ role: 'viewer' }), 'p'), ['billing is limited to 60/s until 03:31 UTC, by anna: runaway import.'], 'a viewer');
  equal([line({ door: null }), line({ door: { receives: true, limited: [] } })].map((place) => place.textContent), ['', ''], 'none');
}

export function anUncleanStopIsALine() {
  given({});
  frame.value = { ...frame.value, uncleanStop: { text: 'Stopped uncleanly.' } };
  equal(texts(draw(html`<${UncleanStop} />`), 'section > p'), ['Stopped uncleanly.'], 'line');
}

export function anAlertLeadsToWhatThereIsToSeeOfIt() {
  given({});
  equal(serviceOf({ service: 'a', kind: 'failing' }), '/admin/services/a?t=failed', 'its failures');
  equal(serviceOf({ service: 'a', kind: 'burst' }), '/admin/services/a?t=burst', 'its burst planner');
  equal(serviceOf({ service: 'a', kind: 'behind' }), '/admin/services/a', 'the others');
}
