/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Pipelines as graphs: a box per service, and before it an arrow for its in-queue with what waits and what arrives there. Below each the times
 * of the last ten minutes. The boxes stand side by side, and below each other in a narrow window. No service has two next stages.
 */
import { html } from './html.js';
import { counted, duration, figure, rate, share } from '../format.js';
import { href, serviceHref } from '../router.js';
import { frame, may, serviceSignal } from '../store.js';
import { Fig, State } from './figure.js';

function Times({ label, times }) {
  return html`<dl class="times"><dt>${label}</dt>
    <dd><${Fig} fig=${times.p50} format=${duration} /></dd><dd><small>p99</small> <${Fig} fig=${times.p99} format=${duration} /></dd></dl>`;
}

function Queue({ name }) {
  return may('operator') ? html`<a href=${href('/messages/' + encodeURIComponent(name))}>${name}</a>` : name;
}

/** The service whose messages wait longest, for a second at least; undefined if there is none. @param {object[]} services */
export const slowest = (services) =>
  services.filter((one) => one?.behind?.v >= 1).reduce((most, one) => (most && most.behind.v >= one.behind.v ? most : one), undefined);

function Edge({ stage, service, isWorst }) {
  return html`<div class=${'edge' + (isWorst ? ' worst' : '')}>
    <p class="queue"><${Queue} name=${stage.queue} /></p>
    <p class=${'waiting-now ' + (service.behind?.v > 0 ? service.severity : '')}><b><${Fig} fig=${service.behind} format=${duration} /></b> behind${' '}
      <small>${figure(service.unperformed, (value) => counted(value, 'message'))}</small></p>
    <p class="arrive"><small><${Fig} fig=${service.accepted} format=${rate} /> arrive${service.can?.v > 0 && service.accepted?.v !== undefined && `, ${figure({ ...service.can, v: service.accepted.v / service.can.v }, share)} of capacity`}</small>${isWorst && html` <b class="watch">● longest wait</b>`}</p>
    <${Times} label="waits" times=${stage.waits} />
  </div>`;
}

function Stage({ stage, here, isWorst }) {
  const service = serviceSignal(stage.service)?.value;
  if (!service) return null;
  return html`<li data-stage=${stage.service}>
    <${Edge} stage=${stage} service=${service} isWorst=${isWorst} />
    <div class=${'stage' + (here ? ' here' : '')}>
      <p><a href=${serviceHref(stage.service)} aria-current=${here ? 'page' : undefined}>${stage.service}</a></p>
      <p><${State} ...${service} /></p>
      <${Times} label="performs" times=${stage.performs} />
    </div>
  </li>`;
}

function Graph({ pipeline, here }) {
  const worst = slowest(pipeline.stages.map((stage) => serviceSignal(stage.service)?.value))?.name;
  return html`<ol class="pipeline" aria-label=${`Stages from ${pipeline.stages[0].service}, in order`}>
    ${pipeline.stages.map((stage) => html`<${Stage} key=${stage.service} stage=${stage} here=${stage.service === here} isWorst=${stage.service === worst} />`)}
    <li class="edge last"><p class="queue"><${Queue} name=${pipeline.answers} /></p></li>
  </ol>`;
}

/** All pipelines of the process, or the one of a service; nothing if there is none. */
export function Pipelines({ service }) {
  const shown = (frame.value.pipelines ?? []).filter(({ stages }) => !service || stages.some((stage) => stage.service === service));
  if (shown.length === 0) return null;
  return html`<section class="panel"><div class="head"><h2>${service || shown.length === 1 ? 'Pipeline' : 'Pipelines'}</h2><p class="muted">Times: median and p99 of the last 10 minutes</p></div>
    ${shown.map((pipeline) => html`<${Graph} key=${pipeline.answers} pipeline=${pipeline} here=${service} />`)}
  </section>`;
}
