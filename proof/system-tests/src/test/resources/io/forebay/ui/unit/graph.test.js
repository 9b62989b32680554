/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { arrows, JobGraph, worst } from '/app/parts/job-graph.js';
import { Pipelines, slowest } from '/app/parts/pipeline.js';
import { frame } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const chunks = { service: 'prices', calls: 200, sent: 180, results: 150, failures: 5, fill: 0.9 };
const step = { name: 'write', state: 'STARTED', partOf: null, counts: { read: 100 }, perSecond: 50, feeds: 'orders', services: [chunks] };
const orders = service('orders', { behind: { v: 12 }, unperformed: { v: 340 }, accepted: { v: 50 }, can: { v: 200, why: 'estimated' } });

export function theArrowsOfAStepHaveTheRateAndWhatIsBehind() {
  const [fed, called] = arrows(step, (name) => (name === 'orders' ? orders : undefined));
  equal([fed.service, fed.perSecond, fed.behind.v, fed.unperformed.v], ['orders', 50, 12, 340], 'feeds');
  equal([called.service, called.perSecond, called.collected, called.unanswered], ['prices', 100, 20, 25], 'calls');
  equal(called.behind, undefined, 'a service of another process');
  const ended = arrows({ ...step, state: 'COMPLETED', perSecond: null }, () => undefined);
  equal(ended.map((arrow) => [arrow.perSecond, arrow.unanswered ?? 0]), [[null, 0], [null, 0]], 'nothing waits for a step that has ended');
}

export function theWorstArrowHasTheLongestWaitThenTheMostUnansweredCalls() {
  const all = [{ service: 'a', unanswered: 9 }, { service: 'b', behind: { v: 2 } }, { service: 'c', behind: { v: 0.5 } }];
  equal(worst(all).service, 'b', 'seconds');
  equal(worst([all[0], all[2]]).service, 'a', 'calls');
  equal(worst([all[2]]), null, 'nothing waits');
}

export function aGraphOfAJobLinksItsServicesAndNamesTheLongestWait() {
  given({ services: [orders] });
  const place = draw(html`<${JobGraph} execution=${{ steps: [step, { ...step, name: 'part', partOf: 'write' }] }} />`);
  equal(texts(place, '.job-graph > li > .stage b'), ['write'], 'steps');
  equal(place.querySelector('.job-graph a').getAttribute('href'), '/admin/services/orders', 'link');
  equal(texts(place, '.worst .queue'), ['≈ 50/s ● longest wait'], 'worst');
  equal(texts(place, '.edge')[1], '≈ 100/s25 not answered 20 not sentchunks 90 % full', 'calls');
  equal(draw(html`<${JobGraph} execution=${{ steps: [{ ...step, feeds: null, services: [] }] }} />`).children.length, 0, 'without services');
}

export function anArrowOfAPipelineHasItsRateAndTheLongestWaitIsMarked() {
  given({ services: [service('mail', { since: '2026-11-20T02:31:07Z', behind: { v: 0 }, unperformed: { v: 0 }, accepted: { v: 20 } }), orders] });
  const times = { p50: { v: 0.1 }, p99: { v: 0.2 } };
  frame.value = { ...frame.value, pipelines: [{ answers: 'orders.out', stages: ['mail', 'orders'].map((name) => ({ service: name, queue: name + '.in', waits: times, performs: times })) }] };
  const place = draw(html`<${Pipelines} />`);
  equal(texts(place, '.arrive'), ['20/s arrive', '50/s arrive, ≈ 25 % of capacity ● longest wait'], 'rates');
  equal(texts(place, '.worst .queue'), ['orders.in'], 'worst');
  equal(texts(place, '.stage p:nth-child(2)')[0], '✓ Keeping up', 'state');
  equal(slowest([{ behind: { v: 0.9 } }, undefined, {}]), undefined, 'nothing waits');
}
