/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/elements.js';
import { Pipeline, slowest } from '/app/screens/service.js';
import { frame } from '/app/store.js';
import { equal } from './expect.js';
import { draw, given, service, texts } from './page.js';

const orders = service('orders', { behind: { v: 12 }, unperformed: { v: 340 }, accepted: { v: 50 }, can: { v: 200, why: 'estimated' } });

export function anArrowOfAPipelineHasItsRateAndTheLongestWaitIsMarked() {
  given({ services: [service('mail', { since: '2026-11-20T02:31:07Z', behind: { v: 0 }, unperformed: { v: 0 }, accepted: { v: 20 } }), orders] });
  frame.value = { ...frame.value, pipelines: [{ answers: 'orders.out', stages: ['mail', 'orders'].map((name) => ({ service: name, queue: name + '.in' })) }] };
  const place = draw(html`<${Pipeline} service="mail" />`);
  equal(texts(place, '.arrive'), ['20/s arrive', '50/s arrive, ≈ 25 % of capacity ● longest wait'], 'rates');
  equal(texts(place, '.worst .queue'), ['orders.in'], 'worst');
  equal(texts(place, '.stage p:nth-child(2)')[0], '✓ Keeping up', 'state');
  equal(slowest([{ behind: { v: 0.9 } }, undefined, {}]), undefined, 'nothing waits');
}
