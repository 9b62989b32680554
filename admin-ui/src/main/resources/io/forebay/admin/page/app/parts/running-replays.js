/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What is said of a replay. */
import { present } from '../actions.js';
import { count, duration } from '../format.js';

/** "61 of 265 sent: 58 performed, 0 failed again, 3 not performed yet; 204 not attempted, about 9 s left": the parts add up to the whole. */
export function progressLine({ state, count: all, sent, done, failed, pending, refused, skipped, notAttempted, text, started }, now = present()) {
  const running = state === 'running';
  const attempted = all - notAttempted;
  const part = (value, words) => (value > 0 ? [`${count(value)} ${words}`] : []);
  const of = [`${count(done)} performed`, `${count(failed)} failed again`, ...part(pending, running ? 'not performed yet' : 'with unknown outcome')];
  const others = [...part(refused, 'could not be sent'), ...part(skipped, 'already replayed or discarded'), ...part(notAttempted, running ? 'to go' : 'not attempted')];
  const isKnown = running && !text && notAttempted > 0 && attempted > pending;
  const left = isKnown ? `, about ${duration(Math.max(1, Math.round((notAttempted * (now - Date.parse(started.at))) / 1000 / attempted)))} left` : '';
  return `${count(sent)} of ${count(all)} sent: ${of.join(', ')}${others.length > 0 ? '; ' + others.join(', ') : ''}${left}`;
}
