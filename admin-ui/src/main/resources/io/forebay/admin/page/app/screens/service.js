/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One service: its state in a line, and the tabs now, burst, latency, failed, configuration (?t=). */
import { html } from '../parts/html.js';
import { askDrain, askPauseOrResume, isPaused } from '../actions.js';
import { ahead, clock, count, duration, since } from '../format.js';
import { copyLink } from '../keys.js';
import { backToNow, shownAt } from '../parts/at.js';
import { ActionButton } from '../parts/dialog.js';
import { Fig, Shape, State } from '../parts/figure.js';
import { FailureGroups } from '../parts/failures.js';
import { Pipelines } from '../parts/pipeline.js';
import { href, route, serviceHref } from '../router.js';
import { lagParts, openCount, pause } from '../sentences.js';
import { frame, may, problemsOf, serviceSignal } from '../store.js';
import { Blocked } from './service-blocked.js';
import { BurstPlanner } from './service-burst.js';
import { ConfigurationTab } from './service-config.js';
import { LatencyTab } from './service-latency.js';
import { NowTab } from './service-now.js';
import { PastService } from './past.js';

const TABS = [
  ['now', 'Now'],
  ['burst', 'Plan a burst'],
  ['latency', 'Latency'],
  ['failed', 'Failed'],
  ['config', 'Configuration'],
];

/** Alerts whose text says more than the figures and the state. */
const SAID = ['failing', 'dead'];

function Paused({ paused }) {
  const { until, held, by, began, replaced, reason, lateAt } = paused;
  const now = Date.parse(frame.value.at);
  const how = until ? html`until <b>${ahead(until, now)}</b> UTC` : html`for <b>${held}</b>, until somebody resumes it,`;
  return html`<p>❚❚ Paused ${how} by <b>${by}</b> (since ${since(began)} UTC)${reason && html`: “${reason}”`}${replaced && html`; first by <b>${replaced.by}</b>${replaced.reason && html`: “${replaced.reason}”`}`}${lateAt && html`; its oldest message will be late at <b>${ahead(lateAt, now)}</b> UTC`}</p>`;
}

function Head({ service }) {
  const { name, waitsFor } = service;
  const paused = pause(service, Date.parse(frame.value.at));
  // the panel of a blocking message has its reason; the last error is often the reason for waiting
  const { reason, lastError } = waitsFor.length > 0 ? {} : service;
  return html`<div class="head">
      <div><h1>${name}</h1><p><${State} ...${service}>${service.since && html`<small>since ${since(service.since)} UTC</small>`}<//>${service.accepts === false && html` <b class="bad">accepts nothing</b>`}</p></div>
      <div class="buttons">
        <${ActionButton} label=${(isPaused(service) ? 'Resume' : 'Pause') + '… ' + name} onClick=${() => askPauseOrResume(service)}>${isPaused(service) ? 'Resume…' : 'Pause…'}<//>
        <${ActionButton} role="admin" onClick=${() => askDrain(name)}>Drain…<//>
        <button type="button" class="quiet" onClick=${copyLink}>Copy link</button>
      </div>
    </div>
    <section class="lag panel" aria-label="Now">
      <p><span class="big"><${Fig} fig=${service.behind} format=${duration} /></span> behind</p>
      <ul>${lagParts(service).map((part) => html`<li class=${part.severity ? 'state ' + part.severity : ''} data-why=${part.why} tabindex=${part.why ? 0 : undefined}>${part.text}</li>`)}</ul>
      ${problemsOf(name).filter(({ kind }) => SAID.includes(kind)).map(({ id, severity, text }) => html`<p key=${id}><${Shape} severity=${severity} /> ${text}</p>`)}
      ${paused && html`<${Paused} paused=${paused} />`}
      ${!paused && reason && html`<p class="muted">${reason}</p>`}
      ${service.declined > 0 && html`<p class="muted"><b>${count(service.declined)}</b> declined since the start: the component refused these calls as a normal outcome, and the callers got the reason.</p>`}
      ${lastError && lastError.text !== reason && html`<p class="muted">${service.state === 'waiting' || service.state === 'failed' ? 'Last error' : 'Last error, which is over:'} ${since(lastError.at)} UTC: <code>${lastError.text}</code></p>`}
    </section>`;
}

export function ServiceScreen() {
  const { parts, query } = route.value;
  const name = parts[1];
  const known = frame.value && serviceSignal(name);
  if (!frame.value) return html`<h1>${name}</h1><p class="muted waiting">Waiting for the first figures…</p>`;
  if (!known) {
    return html`<h1>${name}</h1><div class="panel"><p>No service of this name runs here (checked at ${clock(frame.value.at)} UTC).</p><p><a href="/admin/">All services</a></p></div>`;
  }
  const service = known.value;
  const tab = TABS.some(([id]) => id === query.t) ? query.t : 'now';
  const shown = shownAt();
  return html`${shown?.iso ? html`<${PastService} shown=${shown} name=${name} />` : html`<${Head} service=${service} /><${Blocked} service=${service} /><${Pipelines} service=${name} />`}
    <nav class="tabs" aria-label="Views of the service">
      ${TABS.map(([id, text]) => html`<a key=${id} href=${serviceHref(name, { ...query, show: '', t: id === 'now' ? '' : id })} aria-current=${tab === id ? 'page' : undefined}>${id === 'now' && shown?.iso ? 'At that time' : text}${id === 'failed' && service.open && service.open.failed + service.open.dead > 0 ? ` ${openCount(service.open)}` : ''}</a>`)}
      ${may('operator') && html`<a href=${href('/messages', { service: name })}>Messages</a>`}
    </nav>
    ${shown?.iso && ['failed', 'config'].includes(tab) && html`<p class="muted">You see now: this is not recorded.</p>`}
    ${tab === 'now' && html`<${NowTab} service=${service} />`}
    ${tab === 'burst' && (shown?.iso ? html`<p class="muted">A burst is planned from present figures only. <a href=${backToNow()}>Back to now</a></p>` : html`<${BurstPlanner} service=${service} />`)}
    ${tab === 'latency' && html`<${LatencyTab} name=${name} />`}
    ${tab === 'failed' && html`<${FailureGroups} service=${name} from="-3650d" />`}
    ${tab === 'config' && html`<${ConfigurationTab} name=${name} />`}`;
}
