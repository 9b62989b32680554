/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { equal } from './expect.js';

/** No server responds here, so each attempt fails. */
export async function aPageWaitsAtMostTwoAndAHalfSecondsBeforeItTriesAgain() {
  const worker = new Worker('/stream-worker.js');
  const waits = [];
  await new Promise((enough) => {
    worker.onmessage = ({ data }) => {
      if (data.link !== 'lost') return;
      waits.push(data.retryAt - Date.now());
      if (waits.length === 5) enough();
      else worker.postMessage({ retry: true });
    };
    worker.postMessage({ visible: true });
  });
  worker.terminate();
  equal(waits.filter((wait) => !(wait > 0 && wait <= 2500)), [], `too long or no wait of ${waits}`);
}
