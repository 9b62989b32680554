/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The headline of what needs attention, and at most three problems with their buttons. */
import { useEffect, useState } from 'preact/hooks';
import { askResume, isPaused } from '../actions.js';
import { byCause, headline, sentence } from '../alerts.js';
import { clock } from '../format.js';
import { href, serviceHref } from '../router.js';
import { allServices, frame, freshness, link, may, serviceSignal } from '../store.js';
import { ActionButton } from './dialog.js';
import { html } from './elements.js';
import { Shape } from './figure.js';

const MOST = 3;
const SAY_EVERY = 10_000;

/** What there is to see of a problem on the screen of its service. */
const VIEWS = { failing: { t: 'failed' }, dead: { t: 'failed' }, burst: { t: 'burst' }, stalled: { t: 'partitions' } };

export const serviceOf = ({ service, kind }) => serviceHref(service, VIEWS[kind]);

/** Where to look at a problem. */
export function placeOf(problem) {
  if (problem.service) return serviceOf(problem);
  if (problem.execution) return href('/jobs/executions/' + problem.execution);
  if (problem.job) return href('/jobs/' + encodeURIComponent(problem.job));
  return href({ job: '/jobs', disk: '/storage', space: '/storage' }[problem.kind] ?? '/');
}

export const nameOf = (problem) => problem.service ?? problem.volume ?? problem.job ?? problem.kind;

function Problem({ problem }) {
  const name = problem.service;
  const service = name && serviceSignal(name)?.value;
  const canResume = service && isPaused(service);
  const canLimit = problem.figures?.cause?.timesUsual && frame.value.door?.receives && may('operator');
  return html`<li class=${problem.severity}>
    <p><${Shape} severity=${problem.severity} state=${problem.kind} /> <span>${sentence(problem, Date.parse(frame.value.at))}</span></p>
    <div class="do">
      <a class="button" href=${placeOf(problem)}>Open<span class="vh"> ${nameOf(problem)}</span></a>
      ${canLimit && html`<a class="button" href=${href('/callers')}>Callers</a>`}
      ${canResume && html`<${ActionButton} label=${`Resume ${name}`} onClick=${() => askResume(name)}>Resume…<//>`}
    </div>
  </li>`;
}

function Problems({ problems }) {
  return problems.length > 0 && html`<ul>${problems.map((problem) => html`<${Problem} key=${problem.id} problem=${problem} />`)}</ul>`;
}

/** Read out when it changes: at once with another severity, otherwise at most every ten seconds. */
function Spoken({ text, severity }) {
  const [said, setSaid] = useState({ text, severity, at: Date.now() });
  useEffect(() => {
    if (text === said.text) return undefined;
    const wait = severity === said.severity ? Math.max(0, said.at + SAY_EVERY - Date.now()) : 0;
    const timer = setTimeout(() => setSaid({ text, severity, at: Date.now() }), wait);
    return () => clearTimeout(timer);
  }, [text, severity, said]);
  return html`<p class="vh" role="status">${said.text}</p>`;
}

/** Without new figures, nothing is known to be fine: the sentence is said of its time, and is not green. */
export function Verdict() {
  const { at, verdict } = frame.value;
  const { severity, problems } = verdict;
  const text = headline(verdict, allServices());
  const told = byCause(problems);
  const past = link.value.state === 'lost' || freshness.value === 'old';
  const unsure = severity === 'fine' && past;
  return html`<section class=${'verdict ' + (unsure ? 'past' : severity)} aria-label="What needs attention">
    <h1>${unsure ? html`<span aria-hidden="true">◌</span>` : html`<${Shape} severity=${severity} />`} ${past && `At ${clock(at)} UTC: `}${text}</h1>
    <${Problems} problems=${told.slice(0, MOST)} />
    ${told.length > MOST && html`<details class="more"><summary>${told.length - MOST} more</summary><${Problems} problems=${told.slice(MOST)} /></details>`}
    <${Spoken} text=${text} severity=${severity} />
  </section>`;
}
