/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { frame, serviceSignal, take } from '/app/store.js';
import { equal } from './expect.js';
import { given, service } from './page.js';

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

/** What the worker sends to a page when its EventSource delivers this frame. */
async function sent(content) {
  const worker = await workerWith({ seq: 7, at: '2026-11-20T02:31:07Z', verdict: { problems: [] }, services: [], instances: [], ...content });
  const message = await new Promise((came) => {
    worker.onmessage = ({ data }) => data.frame && came(data);
    worker.postMessage({ visible: true });
  });
  worker.terminate();
  return message;
}

async function workerWith(frame) {
  const source = `self.EventSource = class {
    addEventListener(_, snapshot) {
      snapshot({ data: JSON.stringify(${JSON.stringify(frame)}) });
    }
    close() {}
  };`;
  const worker = await (await fetch('/stream-worker.js')).text();
  return new Worker(URL.createObjectURL(new Blob([source, worker])));
}

export async function aPageReadsEachServiceOfAFrame() {
  const services = [service('ledger', { reason: 'Überlauf von Größe' }), service('mail', { severity: 'bad' }), service('orders')];
  take(await sent({ services }));
  equal(services.map(({ name }) => serviceSignal(name).value), services, 'figures');
}

export async function theServicesOfAnInstanceAloneAreNotSentTwice() {
  const one = { name: 'a', self: true, services: [{ name: 'mail' }] };
  const two = { name: 'b', self: false, services: [{ name: 'mail' }] };
  take(await sent({ instances: [one] }));
  equal(frame.value.instances, [], 'alone');
  take(await sent({ instances: [one, two] }));
  equal(frame.value.instances, [one, two], 'two');
}

export function onlyAServiceThatChangedIsParsedAgain() {
  given({ services: [service('mail'), service('orders')] });
  const [mail, orders] = [serviceSignal('mail').value, serviceSignal('orders').value];
  given({ services: [service('mail', { failed: 100 }), service('orders')] });
  equal(serviceSignal('mail').value.failed, 100, 'mail');
  equal([serviceSignal('mail').value === mail, serviceSignal('orders').value === orders], [false, true], 'the same objects');
}

/** Its row may be drawn once more before it is removed. */
export function aServiceThatIsGoneKeepsItsLastFigures() {
  given({ services: [service('mail', { failed: 3 }), service('orders')] });
  const mail = serviceSignal('mail');
  equal(mail.value.failed, 3, 'before');
  given({ services: [service('orders')] });
  equal([serviceSignal('mail'), mail.value.failed], [undefined, 3], 'after');
}
