/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/html.js';
import { Tiles } from '/app/parts/tiles.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const none = { failed: 0, running: 0, others: 0, severity: 'fine', text: '', execution: null };

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
  equal(jobs({ others: 1, severity: 'watch', text: 'Late.' }).slice(0, 2), [['Jobs', '1 to check', 'Late.'], 'tile watch'], 'late');
}

export function withoutJobsThereIsNoTileOfThem() {
  equal(jobs(null)[0], [], 'tiles');
}

export function aViewerCannotRestartAJob() {
  equal(jobs({ failed: 1, execution: 7 }, 'viewer')[2].querySelector('button').dataset.why, 'Needs role operator', 'why');
}
