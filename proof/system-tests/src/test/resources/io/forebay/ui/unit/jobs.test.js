/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/elements.js';
import { currentStep, JobState, pace } from '/app/parts/jobs.js';
import { Execution } from '/app/screens/job-execution.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const step = (name, read, more = {}) => ({
  name, partOf: null, state: 'COMPLETED', started: null, ended: null, perSecond: null, progress: null, message: '', failure: '',
  counts: { read, written: read, filtered: 0, readSkips: 0, processSkips: 0, writeSkips: 0, commits: 1, rollbacks: 0 }, services: [], ...more,
});

const items = { progress: { unit: 'items', done: 62, total: 62, secondsLeft: 0 } };

export function aRunThatCompletedShowsWhatItRead() {
  const steps = [step('import', 1, items), step('results', 0)];
  equal(pace(currentStep({ steps })), '62 of 62 (100 %)', 'not what its last step read');
  equal(currentStep({ steps: [step('clear', 0), step('results', 0)] }).name, 'results', 'nothing was read');
  equal(currentStep({ steps: [step('import', 1), step('results', 0, { state: 'STARTED' })] }).name, 'results', 'the step that runs');
  equal(currentStep({ steps: [step('import', 1), step('results', 0, { state: 'FAILED' })] }).name, 'results', 'the step that failed');
  equal(currentStep({ steps: [step('import', 1), step('part:0', 1, { partOf: 'import' })] }).name, 'import', 'no partition');
}

export function aRunThatSkippedItemsIsNotGreen() {
  const some = step('import', 2, { counts: { ...step('', 2).counts, readSkips: 1000, writeSkips: 3 } });
  const state = (run) => [draw(html`<${JobState} run=${run} />`)].flatMap((place) => [place.querySelector('.state').className, ...texts(place, '.state')]);
  equal(state({ state: 'COMPLETED', steps: [some, step('part:0', 2, { ...some, partOf: 'import' })] }), ['state watch', '● Complete, 1,003 items skipped'], 'an execution');
  equal(state(some), ['state watch', '● Complete, 1,003 items skipped'], 'a step');
  equal(state({ state: 'COMPLETED', steps: [step('import', 2)] }), ['state fine', '✓ Complete'], 'none');
}

/** A run of 148 ms has ended before the page is drawn for the first time. */
export async function theEndOfAShortRunIsShownSoon() {
  given({});
  const execution = (state, steps) => ({ id: 3, job: 'import', state, dead: false, parameters: {}, startedBy: 'olga', instance: 'a', created: '2026-11-20T02:31:07Z', started: '2026-11-20T02:31:07Z', ended: null, message: '', failure: '', steps });
  const answers = [execution('STARTING', []), execution('COMPLETED', [step('import', 1)])];
  const { fetch } = window;
  window.fetch = async () => new Response(JSON.stringify(answers.length > 1 ? answers.shift() : answers[0]), { headers: { 'Content-Type': 'application/json' } });
  const place = draw(html`<${Execution} id="3" parameters=${() => 'none'} />`);
  document.body.append(place);
  try {
    const until = performance.now() + 1_000;
    while (!place.textContent.includes('Complete') && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
    equal(texts(place, '.facts .state'), ['✓ Complete'], 'within a second');
  } finally {
    window.fetch = fetch;
    place.remove();
  }
}
