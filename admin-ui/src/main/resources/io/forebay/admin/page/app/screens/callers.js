/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Callers of the HTTP door: who sends how much, their limits and the commands that set them, the statements that are refused to all,
 * and the lanes of gateways.
 */
import { useState } from 'preact/hooks';
import { limitText, present, Until, useUntil } from '../actions.js';
import { post } from '../api.js';
import { sentence } from '../alerts.js';
import { ahead, count, counted, number, rate, share, since } from '../format.js';
import { ActDialog, ActionButton, invalid, openDialog } from '../parts/dialog.js';
import { html, Loaded, Rows, text, useLoad } from '../parts/elements.js';
import { href, serviceHref } from '../router.js';
import { allServices, frame, may } from '../store.js';

const MOST = 1_000_000;

const withTime = (limit) => `${rate(limit.perSecond)} until ${ahead(limit.until, present())} UTC, set by ${limit.by} at ${since(limit.at, present())} UTC: “${limit.reason}”`;

/** The limit that the caller has, or half of what it sends to this instance. */
export const suggested = ({ limit, perSecond }) => limit?.perSecond ?? Math.min(MOST, Math.max(1, Math.round((perSecond ?? 0) / 2)));

function sends({ name, perSecond, share: part }) {
  if (perSecond === undefined) return `${name} is not among those that sent most to this instance in the last minute.`;
  if (perSecond === 0) return `${name} sent nothing to this instance in the last minute.`;
  return `${name} sent ${rate(perSecond)} to this instance in the last minute, ${share(part)} of all statements.`;
}

/** What a limit does. */
export const limitLines = (sender) => [
  sends(sender),
  'Requests beyond the limit get 429 with Retry-After; the caller can send them again. Streams are read more slowly.',
  'Statements that were accepted are kept and performed.',
  'The limit applies within a second at each instance, and still after a restart. It replaces the configured rate and burst; other configured limits still apply.',
  ...(sender.limit ? [`It replaces this limit: ${withTime(sender.limit)}.`] : []),
];

/** @param {{sender: {name: string, perSecond?: number, share?: number, limit?: object}, again: () => void}} props */
function LimitDialog({ sender, again }) {
  const { name } = sender;
  const [perSecond, setPerSecond] = useState(String(suggested(sender)));
  const until = useUntil('1h');
  const act = async (reason) => {
    const most = Number(perSecond);
    if (!Number.isInteger(most) || most < 1 || most > MOST) throw invalid('perSecond', 'Enter a whole number of statements per second, from 1 to 1,000,000.');
    return post('/callers/limit', { caller: name, perSecond: most, reason, until: until.end() }).finally(again);
  };
  return html`<${ActDialog} title=${`Limit ${name}?`} verb=${`Limit ${name}`} danger=${true} done=${`${name} is limited to ${rate(Number(perSecond))}.`}
    lines=${async () => limitLines(sender)} act=${act}>
    ${(marks) => html`<label for="perSecond">Statements per second</label>
      <input id="perSecond" type="number" min="1" max=${MOST} autocomplete="off" value=${perSecond} onInput=${(event) => setPerSecond(event.target.value)} ...${marks('perSecond')} />
      <${Until} until=${until} marks=${marks} />`}
  <//>`;
}

function askLift({ name, limit }, again) {
  openDialog(ActDialog, {
    title: `Lift the limit of ${name}?`,
    verb: 'Lift the limit',
    reason: 'optional',
    lines: async () => [`The limit ends: ${withTime(limit)}.`, `The configured limits of ${name} apply again. Without a configured rate, its rate is not limited.`],
    done: `The limit of ${name} is lifted.`,
    act: (reason) => post('/callers/lift', { caller: name, ...(reason ? { reason } : {}) }).finally(again),
  });
}

/** The buttons of a caller. */
function LimitButtons({ sender, again }) {
  const verb = sender.limit ? 'Change…' : 'Limit…';
  return html`<span class="row-do">
    <${ActionButton} label=${`${verb} ${sender.limit ? 'the limit of ' : ''}${sender.name}`} onClick=${() => openDialog(LimitDialog, { sender, again })}>${verb}<//>
    ${sender.limit && html`<${ActionButton} label=${`Lift… the limit of ${sender.name}`} onClick=${() => askLift(sender, again)}>Lift…<//>`}
  </span>`;
}

const LIMITS = {
  rate: ['statements per second'],
  burst: ['statements at once'],
  'max-requests': ['requests and streams at the same time'],
};

/** What a limit by command replaces. */
const REPLACED = ['rate', 'burst'];

/** How full a limit is: all of it used is bad, three quarters are worth a look. */
const severity = ({ used, most }) => (used >= most ? 'bad' : used >= 0.75 * most ? 'watch' : 'fine');

function Use({ limit }) {
  if (limit.used === null || limit.used === undefined) return html`<span class="muted">see burst</span>`;
  const level = severity(limit);
  return html`<span class=${'state nowrap ' + level}><span class=${'shape ' + level} aria-hidden="true">${{ bad: '▲', watch: '●', fine: '✓' }[level]}</span> ${count(limit.used)} of ${number(limit.most)}</span>`;
}

const CALLERS = [
  { name: 'Caller', head: true, cell: ({ caller, first }) => html`<code class=${first ? '' : 'muted'}>${caller.name}</code>` },
  { name: 'Limit', cell: ({ limit, by }) => html`<code>${limit.name}</code> <small class="muted">${LIMITS[limit.name] ?? ''}${by && `, by command of ${by}`}</small>` },
  { name: 'In force', number: true, cell: ({ limit }) => count(limit.most) },
  { name: 'Used here', number: true, cell: ({ limit }) => html`<${Use} limit=${limit} />` },
  { name: 'Refused since the start', number: true, cell: ({ limit }) => (limit.name === 'burst' ? '' : count(limit.refused)) },
  { name: 'Last refused (UTC)', cell: ({ caller, first }) => (first ? html`<span class="nowrap">${caller.lastRefused ? since(caller.lastRefused) : 'never'}</span>` : '') },
];

/** A row for each limit of each caller; `by` is who set it, if it is by command. */
export const limitRows = ({ callers, limited = [] }) =>
  callers.flatMap((caller) => {
    const by = limited.find((one) => one.caller === caller.name)?.by;
    return caller.limits.map((limit, index) => ({ caller, limit, first: index === 0, by: REPLACED.includes(limit.name) ? by : undefined }));
  });

/** What the queues refuse, whatever the statement, as while the disk is full. */
export function Refusing() {
  const names = allServices().filter((one) => one.accepts === false).map((one) => one.name);
  if (names.length === 0) return null;
  const why = frame.value.verdict.problems.filter((one) => one.kind === 'disk' || (one.kind === 'refusing' && names.includes(one.service)));
  return html`<section class="panel problem" role="status"><p>▲ Requests to ${names.join(', ')} are refused. ${why.map((one) => sentence(one, Date.parse(frame.value.at))).join(' ')}</p></section>`;
}

function Statements({ refused }) {
  return html`<section class="panel"><h2>Statements that are not offered <small>${refused.length}</small></h2>
    <${Rows} label="Statements that are not offered" rows=${refused} empty="This instance offers all statements of its catalogue." columns=${[
      { name: 'Statement', head: true, cell: (one) => html`<code>${one.name}</code>` },
      { name: 'Gateway', cell: (one) => html`<a href=${serviceHref(one.gateway, {})}>${one.gateway}</a>` },
      { name: 'Reason', wrap: true, cell: (one) => one.reason },
    ]} />
  </section>`;
}

/** A row for each caller that sends, with its rate over the last minute, its share and its limit by command; and one for each other caller with such a limit. */
export function senderRows({ senders: { lastMinute, most, more }, limited = [] }) {
  const sending = most.map((one) => ({ name: one.name, perSecond: one.lastMinute / 60, share: one.lastMinute / lastMinute, limit: limited.find((limit) => limit.caller === one.name) }));
  const others = limited.filter((limit) => !most.some((one) => one.name === limit.caller));
  // one that is not listed may be among those with fewer
  return [...sending, ...others.map((limit) => ({ name: limit.caller, perSecond: more > 0 ? undefined : 0, share: more > 0 ? undefined : 0, limit }))];
}

export function Senders({ data, again }) {
  const { senders } = data;
  return html`<section class="panel"><h2>Who sends <small>last minute, to this instance</small></h2>
    <${Rows} label="Who sends" rows=${senderRows(data)} key=${(one) => one.name} empty="No statement came over HTTP in the last minute. Senders within this process are not listed." columns=${[
      { name: 'Caller', head: true, cell: (one) => html`<code>${one.name}</code>` },
      { name: 'Statements', number: true, cell: (one) => rate(one.perSecond) },
      { name: 'Share', number: true, cell: (one) => share(one.share) },
      { name: 'Limit by command', wrap: true, cell: (one) => one.limit && limitText(one.limit) },
      { name: '', number: true, cell: (one) => html`<${LimitButtons} sender=${one} again=${again} />` },
    ]} />
    ${senders.more > 0 && html`<p class="muted">and ${counted(senders.more, 'more caller')} with fewer</p>`}
    <p class="muted">For a lasting limit, set <code>forebay.door.callers.[name].rate</code> in the configuration. To stop a caller at once, ${may('admin') ? html`<a href=${href('/settings')}>delete its token</a>` : 'ask an administrator to delete its token'}. To refuse a statement, remove it from the catalogue and reload that: <code>POST /api/v1/catalogue/reload</code>.</p>
  </section>`;
}

function Callers({ data }) {
  return html`<section class="panel"><h2>Callers with limits <small>${data.callers.length}</small></h2>
    <p class="muted">Limits count at each instance; the figures are those of this one.</p>
    <${Rows} label="Callers with limits" rows=${limitRows(data)} empty="No caller has limits at this instance (forebay.door.each-caller, forebay.door.callers)." columns=${CALLERS} />
  </section>`;
}

function Lanes({ lanes }) {
  const total = (gateway) => lanes.filter((one) => one.gateway === gateway).reduce((sum, one) => sum + one.weight, 0);
  return html`<section class="panel"><h2>Lanes</h2>
    <${Rows} label="Lanes" rows=${lanes} empty="No gateway has lanes." columns=${[
      { name: 'Gateway', cell: (one) => one.gateway },
      { name: 'Lane', head: true, cell: (one) => html`<a href=${serviceHref(one.service, {})}>${one.service}</a>` },
      { name: 'Weight', number: true, cell: (one) => count(one.weight) },
      { name: 'Share while all have work', number: true, cell: (one) => Math.round((100 * one.weight) / total(one.gateway)) + ' %' },
      { name: 'Callers', wrap: true, cell: (one) => text(one.callers.join(', ') || (one.service === one.gateway ? 'all others' : 'none; only statements that name it')) },
    ]} />
  </section>`;
}

export function CallersScreen() {
  const load = useLoad('/callers', 5);
  return html`<h1>Callers</h1>
    <${Loaded} load=${load} what="the callers">${(data) => html`
      <${Refusing} /><${Senders} data=${data} again=${load.again} />
      <${Statements} refused=${data.refused} />
      <${Callers} data=${data} />
      ${data.lanes.length > 0 && html`<${Lanes} lanes=${data.lanes} />`}`}<//>`;
}
