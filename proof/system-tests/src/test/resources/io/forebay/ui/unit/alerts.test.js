/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { sentence } from '/app/alerts.js';
import { html } from '/app/parts/elements.js';
import { LastAlerts } from '/app/parts/last-alerts.js';
import { equal } from './expect.js';
import { draw, given, problem, texts } from './page.js';

const opened = '2026-11-20T01:00:00Z';
const alerts = [
  { id: 'behind~a', kind: 'behind', severity: 'bad', service: 'a', volume: null, job: null, opened, closed: null, peak: 1.21, figures: problem('behind').figures },
  { id: 'failed~b', kind: 'failed', severity: 'watch', service: 'b', volume: null, job: null, figures: problem('failed').figures, opened, closed: '2026-11-20T01:01:00Z', peak: null },
];

export async function theAlertsOfADayAreAskedForWhenTheyAreUnfolded() {
  given({});
  const { fetch } = window;
  const asked = [];
  window.fetch = async (url) => {
    asked.push(url);
    return new Response(JSON.stringify({ alerts }), { headers: { 'Content-Type': 'application/json' } });
  };
  const place = draw(html`<${LastAlerts} />`);
  document.body.append(place);
  try {
    equal(asked, [], 'folded');
    place.querySelector('details').open = true;
    const until = performance.now() + 5_000;
    while (!place.textContent.includes('b has failed') && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
    equal(asked[0], '/admin/api/v1/alerts', 'unfolded');
    const cells = texts(place, 'tbody td');
    equal([cells[0], cells[3], cells.length], ['open, 1 h 31 m', sentence(problem('behind')), 8], 'an open one');
    equal([...place.querySelectorAll('tbody a')].map((link) => link.getAttribute('href')), ['/admin/services/a', '/admin/services/b'], 'places');
  } finally {
    window.fetch = fetch;
    place.remove();
  }
}
