/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The only place where alerts become sentences: one template for each kind, with cause, rate, forecast and action. The server
 * sends a kind with figures. The headline and the databases that do not respond are worded here, too.
 */
import { ahead, bytes, clock, counted, duration, forecast, moment, number, share } from './format.js';

const left = (until) => (until?.v?.in === undefined ? null : forecast(until.v.in));
const isPast = (until) => Boolean(until?.v?.passed);
const age = (fig) => (fig?.v === undefined ? 'an unknown time' : duration(fig.v));
const ago = (seconds) => (seconds < 2 ? 'just now' : `${duration(seconds)} ago`);
const secondsSince = (instant, now) => Math.max(0, Math.round((now - Date.parse(instant)) / 1000));
const clause = (text) => (text.endsWith('.') ? text.slice(0, -1) : text);
const because = (reason) => (reason ? `: ${clause(reason)}` : '');
const waiting = (many) => `${counted(many, 'message')} ${many === 1 ? 'waits' : 'wait'}`;

const MOST_NAMED = 3;
const AND = new Intl.ListFormat('en-GB');
const listed = (all) => AND.format(all.length > MOST_NAMED ? [...all.slice(0, MOST_NAMED), `${all.length - MOST_NAMED} more`] : all);

const ended = (text) => (text.endsWith('…') ? text : `${text}.`);

/** The first sentence of a reason, which may quote a driver at length. @param {string} reason */
export function firstSentence(reason) {
  const end = reason.indexOf('. ');
  if (end < 0) return clause(reason);
  const first = reason.slice(0, end);
  return `${first}…${first.lastIndexOf('(') > first.lastIndexOf(')') ? ')' : ''}`;
}

const DIRECTIONS = { growing: 'and growing', draining: 'and catching up', steady: 'and steady', keeping_up: 'and steady' };

/** Whether a burst has ended; the rates tell it before the number of messages. */
const isEnding = ({ trend, accepted, performed }) => trend === 'growing' && accepted?.v < performed?.v;

function behind(alert) {
  if (alert.all) return allBehind(alert);
  const { service, figures } = alert;
  const { limit, state, trend, late, clear, accepted, performed, reason } = figures;
  const past = isPast(late);
  const direction = state === 'resuming' || isEnding(figures) ? '' : (DIRECTIONS[trend] ?? '');
  const rates = accepted?.v === undefined || performed?.v === undefined ? because(reason) : `: accepts ${number(accepted.v)}/s, performs ${number(performed.v)}/s`;
  const course = [past && `past its ${duration(limit)} limit`, direction].filter(Boolean).join(', ');
  const head = `${service} is ${age(figures.behind)} behind${course && (past ? ', ' : ' ') + course}${rates}.`;
  if (trend === 'draining') return `${head} ${catchesUp(figures, past)}`;
  const end = isEnding(figures) ? ' When it catches up is not known yet.' : past || state === 'resuming' ? noEnd(clear) : left(late) ? ` Passes its ${duration(limit)} limit in about ${left(late)}.` : '';
  return `${head}${end}${isEnding(figures) ? '' : cause(alert)}`;
}

/** Services that are behind for one reason: the first one that is late, or the last one that catches up. Their rows have the rates. */
function allBehind(alert) {
  const { all, figures: { trend } } = alert;
  const head = `${names(alert)} are behind`;
  if (trend === 'growing') return `${head} and growing${lateBy(alert)}.${cause(alert)}`;
  const last = all.reduce((top, one) => (order(one.figures.clear?.v) > order(top.figures.clear?.v) ? one : top));
  const end = left(last.figures.clear);
  const isRising = all.some((one) => one.figures.peak);
  const highest = isRising ? Math.max(...all.map(({ figures }) => Math.max(figures.peak ?? 0, figures.behind?.v ?? 0))) : 0;
  return `${head} and catching up${lateBy(alert)}. Nothing to do${end ? `: ${last.service} catches up last, in about ${end}${rises(highest)}` : ''}.`;
}

const noEnd = (clear) => (clear?.v === undefined ? ` When it catches up is unknown: ${clear?.why ?? 'not measured'}.` : ' It does not catch up at this rate.');

/** The oldest wait may still rise while fewer and fewer messages wait: those of a burst came in faster than they are performed. */
function catchesUp({ limit, late, clear, peak: highest }, past) {
  const end = left(clear);
  if (!end) return 'How long that takes is not known yet.';
  if (!past && left(late)) return `It catches up in about ${end}, but passes the ${duration(limit)} limit in about ${left(late)}${rises(highest)}; inform those who wait for results.`;
  return `Nothing to do: catches up in about ${end}${rises(highest)}.`;
}

const rises = (highest) => (highest ? `; no message waits longer than about ${duration(highest)}` : '');

function cause(alert) {
  const { slower, timesUsual, usualOver } = alert.figures.cause;
  if (slower) return ` ${slower.lost ? rejecting(alert) : `${slow(alert)}. ${LOOK}`}`;
  if (!timesUsual) return '';
  const when = usualOver === null ? 'before the last start' : `of the last ${duration(Math.max(60, usualOver - (usualOver % 60)))}`;
  return ` ${alert.all ? `${alert.service} gets` : 'That is'} ${number(timesUsual)} times the usual intake (${when}). Slow down senders that can wait.`;
}

/** A batch with a statement that fails is performed again in pieces. */
function rejecting({ service, figures: { cause: { slower: { perSecond, lost }, can } } }) {
  const rate = perSecond ? `${number(perSecond)}/s${can ? ` instead of ${number(can)}/s` : ''}` : 'less than usual';
  return `${service} performs ${rate} because statements fail and their batches are performed again, which takes ${share(lost)} of its time.`;
}

const LOOK = 'Look for locks, load and slow plans there.';

/** What it performs is a limit only while messages wait. */
function pace({ times, perSecond }, can, isLimit, who) {
  const most = perSecond && (isLimit || !times) ? `${who} performs ${number(perSecond)}/s at most${can ? ` instead of ${number(can)}/s` : ''}` : '';
  const longer = times ? `a message takes ${number(times)} times as long` : '';
  return can && most ? most : all(longer, most);
}

function slow(alert) {
  const { cause: { slower, can }, trend } = alert.figures;
  const how = pace(slower, can, trend !== 'keeping_up', alert.all ? alert.service : 'it');
  return `The ${verb(alert, 'database', 'databases')} of ${names(alert)} ${verb(alert, 'is', 'are')} slower than usual${how && `: ${how}`}`;
}

function busy(alert) {
  const { service, figure, figures } = alert;
  if (figures.trend === 'growing') return behind(alert);
  if (!figures.cause.slower || figures.cause.slower.lost) return `The workers of ${service} are ${share(figure)} busy; there is little spare capacity.${cause(alert)}`;
  return `${slow(alert)}.${figures.behind?.v === undefined ? '' : ' No message is late.'} ${LOOK}`;
}

const names = ({ service, all }) => listed(all?.map((one) => one.service) ?? [service]);
const verb = (one, single, plural) => (one.all ? plural : single);

/** The messages that wait for all of its services. */
function waitingOf({ figures, all }) {
  const each = (all ?? [{ figures }]).map((one) => one.figures.unperformed?.v);
  return each.includes(undefined) ? 'messages wait' : waiting(each.reduce((sum, one) => sum + one, 0));
}

/** Only the end of the other transaction helps: a message that fails instead would be lost to its sender. */
function locked(alert, now) {
  const { lock: { session, application, user, since, idleSince, hidden, waits: from }, accepts } = alert.figures;
  const idle = idleSince ? ` and has been idle for ${duration(secondsSince(idleSince, now))}` : '';
  const age = since ? `, whose transaction began ${ago(secondsSince(since, now))}${idle}` : hidden ? `, for at least ${duration(secondsSince(from, now))}` : '';
  const known = [application, user && `user ${user}`].filter(Boolean).join(', ');
  const who = `session ${session}${known && ` (${known})`}`;
  return `${names(alert)} ${verb(alert, 'waits', 'wait')} for a lock that ${who} holds${age}; ${waitingOf(alert)}${accepts ? '' : ' and further ones are refused'}. ${verb(alert, 'It resumes', 'They resume')} automatically when ${since || hidden ? 'that transaction ends: commit it' : 'it is released: release it there'}, or end the session with select pg_terminate_backend(${session}).`;
}

/** The services past their limit, or the first that passes it, and when; empty if none does. */
function lateBy({ service, figures, all }) {
  const past = (all ?? []).filter((one) => isPast(one.figures.late)).map((one) => one.service);
  if (past.length > 1) return `; ${past.length === all.length ? 'all' : listed(past)} are past their limit`;
  const first = all ? all.reduce((top, one) => (order(one.figures.late?.v) < order(top.figures.late?.v) ? one : top)) : { figures };
  const { late, limit } = first.figures;
  const who = all ? `; ${first.service}` : ' and';
  return isPast(late) ? `${who} is past its ${duration(limit)} limit` : left(late) ? `${who} passes its ${duration(limit)} limit${all ? ' first,' : ''} in ${left(late)}` : '';
}

function waits(alert, now) {
  const { outage, lock, accepts, forOneMessage, state } = alert.figures;
  const reason = state === 'waiting_for_lock' ? 'another session holds or held a lock' : alert.figures.reason;
  if (lock) return locked(alert, now);
  if (outage?.until) {
    const lengths = (alert.all ?? [alert]).map(({ figures: { outage: { since, until } } }) => (Date.parse(until) - Date.parse(since)) / 1000);
    const longest = Math.max(...lengths);
    return `The ${verb(alert, 'database', 'databases')} of ${names(alert)} ${verb(alert, 'is', 'are')} back after ${longest > Math.min(...lengths) ? 'up to ' : ''}${duration(longest)}; ${waitingOf(alert)}.`;
  }
  const resumes = `the ${verb(alert, 'service resumes', 'services resume')} automatically`;
  const then = forOneMessage ? '; later messages of the partition wait until it is performed, or an operator fails it' : outage ? `. Start the database, or repair the network to it; ${resumes}` : `; ${resumes}`;
  return `${names(alert)} ${verb(alert, 'waits', 'wait')}${outage ? ` for ${verb(alert, 'its', 'their')} database${lateBy(alert)}` : because(reason)}. Messages are ${accepts ? 'still accepted' : 'refused'}${then}.`;
}

/** What services have in common that are behind, wait for their database or for one lock, or whose databases are slow; else undefined. */
function causeOf({ kind, severity, figures }) {
  if (kind === 'late' || kind === 'behind') return causeOfLag(severity, figures);
  if (kind === 'database') return figures.cause.slower && !figures.cause.slower.lost && figures.trend !== 'growing' ? 'slow' : undefined;
  if (kind !== 'waiting' || figures.forOneMessage) return undefined;
  const { lock, outage, accepts } = figures;
  if (lock) return `lock ${lock.session} ${lock.since} ${accepts}`;
  return outage ? `outage ${Boolean(outage.until)} ${accepts}` : undefined;
}

/** A backlog that makes a service late before it catches up has a sentence of its own. */
function causeOfLag(severity, figures) {
  const { trend, late, cause: { slower, timesUsual } } = figures;
  if (trend === 'draining') return isPast(late) || !left(late) ? `catching up ${severity}` : undefined;
  return trend === 'growing' && !isEnding(figures) ? `growing ${severity} ${slower?.lost ? 'failing' : Boolean(slower)} ${Boolean(timesUsual)}` : undefined;
}

/** The alerts with those of one cause as one, which names their services. @param {object[]} problems the most urgent first */
export function byCause(problems) {
  const causes = new Map();
  for (const one of problems) {
    const cause = causeOf(one) ?? one;
    causes.set(cause, [...(causes.get(cause) ?? []), one]);
  }
  return [...causes.values()].map((all) => (all.length === 1 ? all[0] : { ...all[0], all }));
}

function paused({ service, figures }, now) {
  const { pause, accepts, late, limit } = figures;
  if (pause?.until) return pausedUntil(service, pause, figures, now);
  const by = pause ? `has been paused by ${pausedBy(pause, now)}` : 'is paused';
  const oldest = left(late)
    ? `The oldest message passes the ${duration(limit)} limit in ${left(late)}.`
    : figures.behind?.v === 0 ? 'No message waits.' : `The oldest message has waited ${age(figures.behind)} (limit ${duration(limit)}).`;
  const inform = figures.behind?.v === 0 ? '' : ', or inform those who wait for results';
  const act = pause ? `Ask ${pause.by} whether it can be resumed${inform}.` : `Resume the service${inform}.`;
  return `${service} ${by}.${accepts ? ' Messages are still accepted.' : ''} ${oldest} ${act}`;
}

/** Who paused it and for how long, and if that pause was replaced, by whom and when. */
function pausedBy({ at, by, reason, first }, now) {
  const began = first ?? { at, by, reason };
  const replaced = first ? `; ${by} replaced that pause ${ago(secondsSince(at, now))}${because(reason)}` : '';
  return `${began.by} for ${duration(secondsSince(began.at, now))}${because(began.reason)}${replaced}. It has no end`;
}

function pausedUntil(service, { until, by, reason, first }, { late, limit }, now) {
  const replaced = first ? `; that replaced the pause by ${first.by}${because(first.reason)}` : '';
  const oldest = isPast(late)
    ? `; its oldest message is past the ${duration(limit)} limit`
    : late?.v?.in === undefined ? '' : `; its oldest message will be late at ${ahead(new Date(now + late.v.in * 1000).toISOString(), now)}`;
  return `${service} is paused until ${ahead(until, now)} UTC by ${by}${because(reason)}${replaced}${oldest}.`;
}

const REFUSALS = {
  full: 'its queue is full',
  disk: 'its disk is full',
  unavailable: 'the server of its queue does not accept them at the moment',
  closed: 'its queue is closed',
};

/** What failed statements mean for those who wait. */
const CALLERS = 'Their callers got the error; other statements do not wait for them.';
const ENDED = 'Their callers got the error.';
const CLOSES = 'The alert closes once none is open there, or 15 minutes after the last one.';

function failing({ service, figures }) {
  const { count: failed, performed, lately, shareNow, over, cause: most, closes } = figures;
  const why = most ? `: ${[most.statement, most.text].filter(Boolean).join(', ')}` : '';
  if (shareNow !== null) return `${service}: ${share(shareNow)} of statements fail, ${number(lately)} in the last minute${why}; see Failed. ${CALLERS}`;
  const last = over === null ? '' : `, the last one ${ago(over)}`;
  const end = over === null && !closes ? CALLERS : `${ENDED} ${closes ? 'The alert closes soon.' : CLOSES}`;
  return `${service}: ${share(failed / performed)} of statements failed in the last 15 minutes${last}${why}; see Failed. ${end}`;
}

function dead({ service, figures: { count: many, lately } }) {
  const over = lately === 0;
  return `${service} got ${counted(many, 'dead letter')} in the last 15 minutes${over ? ', none in the last minute' : ''}; see Failed.${over ? ` ${CLOSES}` : ''}`;
}

const edge = (until) => (until?.passed ? forecast(0) : until?.in === undefined ? 'more than 30 days' : forecast(until.in));
const inTime = (until) => (until.passed ? 'now' : `in ${edge(until)}`);
const order = (until) => (until?.passed ? 0 : (until?.in ?? Infinity));

function disk({ volume, figures }) {
  const { runway, next, refusing } = figures;
  if (refusing) return isFull(volume, figures);
  const { middle, low, begun } = runway.v;
  const deleted = next && order(next.until) > order(begun ?? middle) ? '' : nextFile(figures);
  if (begun) return `${volume} fills at ${bytes(room(figures).free / begun.in)}/s: at this rate it is full in ${edge(begun)}; then callers are refused.${growth(figures)}${deleted}`;
  const early = order(low) === order(middle) ? '' : ` (${edge(low)} at the earliest)`;
  const when = middle.never === undefined ? `will be full in about ${edge(middle)}${early}` : `may be full in ${edge(low)} at the earliest`;
  return `${volume} ${when}; then callers are refused.${growth(figures)}${deleted}`;
}

function isFull(volume, figures) {
  const { refusing, toFreeBytes } = figures;
  const { free, left: rest } = room(figures);
  const who = refusing.length === 0 ? 'messages are refused' : `${listed(refusing)} ${refusing.length === 1 ? 'refuses' : 'refuse'} messages`;
  const reserve = rest > 0 ? `${bytes(rest)} are left${free <= 0 ? ' as reserve' : ''}` : 'Nothing is left';
  const toFree = toFreeBytes?.v > 0 ? ` ${reserve}; at least ${bytes(toFreeBytes.v)} must be freed.` : '';
  return `${volume} is full: ${who} until space is freed; callers can repeat them. What was accepted is kept.${growth(figures)}${toFree}${nextFile(figures, toFreeBytes?.v)}`;
}

/** The bytes that may be used, and those that are left. */
const room = ({ usedBytes, sizeBytes, stopBytes }) => ({ free: stopBytes?.v - usedBytes?.v, left: sizeBytes?.v - usedBytes?.v });

function space({ volume, figure, figures }) {
  const { free } = room(figures);
  return `${volume}: ${share(Math.max(0, figure))} of what may be used is free${Number.isFinite(free) ? ` (${bytes(Math.max(0, free))})` : ''}.${growth(figures)}${nextFile(figures)}`;
}

/** Who fills the disk, and what to do, if it is mostly others. */
function growth({ othersShare, runway }) {
  const begun = runway?.v?.begun; // others began a few seconds ago, and their share is still small
  if (!begun && !(othersShare?.v >= 0.5)) return '';
  const part = begun ? 'Most of its growth' : othersShare.v >= 0.95 ? 'Nearly all of its growth' : `${share(othersShare.v)} of its growth`;
  return ` ${part} is not from queues: find what else writes there (a log, a database, another program), and stop it.`;
}

/** The file that is deleted next, and whether that is enough. */
export function nextFile({ next, enough }, toFree = 0) {
  if (!next) return ' No file is due for deletion.';
  const more = enough ? `; enough files (${bytes(enough.bytes)}) are deleted ${inTime(enough.until)}` : '; the files that are due do not free enough';
  return ` The next file (${bytes(next.bytes)}) is deleted ${inTime(next.until)}${next.bytes < toFree ? more : ''}.`;
}

/** "full (IOException)" of "java.io.IOException: full", as Java writes an exception. */
export function thrown(failure) {
  const [type, ...message] = failure.split(': ');
  if (type.includes(' ') || !type.includes('.')) return failure;
  const name = type.slice(type.lastIndexOf('.') + 1);
  return message.length ? `${message.join(': ')} (${name})` : `${name} (the log of its process has the message)`;
}

function job({ job: name, figures }) {
  const { trouble, execution, runs, ended, failure, parameters, written } = figures;
  if (trouble === 'dead') return `Job ${name}: the process of execution ${execution} is dead. If it is not recovered automatically within a minute, recover and restart it.`;
  if (trouble === 'skipped') return `Job ${name} is complete, but skipped ${number(figures.skipped)} of ${counted(figures.read, 'item')} (${share(figures.skipped / figures.read)}). Execution ${execution} shows in which step, and why it skipped the last one. The skipped items have no effect. The alert closes when the job runs again, or after a day.`;
  if (trouble === 'lost' && runs === 1) {
    const given = Object.entries(parameters).sort().map(([key, value]) => `${key}=${value}`).join(', ');
    return `Job ${name}: execution ${execution}${given && ` with ${given.length > 100 ? `${given.slice(0, 100)}…` : given}`} lost its process, and nothing restarts it automatically. Restart or abandon it.`;
  }
  const why = trouble === 'lost' ? 'Its process died' : failure ? thrown(failure) : '';
  const reason = why ? `: ${clause(why)}.` : '. The log of its process has the reason.';
  const at = ended ? ` at ${moment(ended)} UTC` : '';
  const did = trouble === 'not_begun' ? ' No record was performed.' : written > 0 ? ` ${counted(written, 'record')} ${written === 1 ? 'was' : 'were'} written before it failed.` : '';
  const act =
    runs > 1 ? 'Correct the cause, then restart or abandon each of them.'
    : trouble === 'not_begun' ? `If its parameters are wrong, start the job again with the right ones; the alert closes when that run is complete. Otherwise correct the cause, then restart execution ${execution}.`
    : `Correct the cause, then restart execution ${execution}. With other parameters, start the job again and abandon execution ${execution}.`;
  return runs > 1 ? `Job ${name}: ${runs} runs failed. The newest failed${at}${reason}${did} ${act}` : `Job ${name} failed${at}${reason}${did} ${act}`;
}

const TEMPLATES = {
  failed: ({ service, figures: { phase, reason } }) =>
    phase === 'fenced' ? `${service} was taken over by another instance; this instance no longer performs it.` : `${service} has failed and performs nothing${because(reason)}. An operator must act.`,
  waiting: waits,
  refusing: ({ service, figures: { reason } }) => `${service} refuses messages: ${REFUSALS[reason] ?? 'its queue failed, and an operator must act'}.`,
  stalled: ({ service, figures: { reason } }) => `${service}: ${clause(reason)}.`,
  late: behind,
  behind,
  paused,
  loss: ({ service, figures: { loss } }) =>
    `${service}: retention deletes the oldest waiting message ${left(loss) ? `in ${left(loss)}` : 'at any time'}, although it was not performed. Resume or repair the service, or raise retention.ms.`,
  disk,
  space,
  database: busy,
  dead,
  failing,
  burst: ({ service, figures: { onTime, usual } }) => `${service} stays within its limit for ${left(onTime) ?? 'an unknown time'} of a 10× burst; bursts usually last ${age(usual)}.`,
  instance: ({ figures: { name, unseen } }) =>
    `Instance ${name} has not been seen for ${duration(unseen)}. If it was stopped or replaced, this ends automatically; otherwise look at its log.`,
  job,
};

/** The sentence of an alert. @param {{kind: string, figure: number|null, figures: object}} alert @param {number} [now] the time of its figures */
export const sentence = (alert, now = Date.now()) => TEMPLATES[alert.kind]?.(alert, now) ?? alert.kind;

const SUBJECTS = {
  disk: ({ volume }) => `disk ${volume}`,
  space: ({ volume }) => `disk ${volume}`,
  instance: ({ figures }) => `instance ${figures.name}`,
  job: ({ job: name }) => `job ${name}`,
};
const all = (...parts) => parts.filter(Boolean).join('; ');

/** The sentence over all alerts, or over the services if none is open. @param {{problems: object[]}} verdict @param {object[]} services */
export function headline({ problems }, services) {
  if (problems.length === 0) return services.length ? `${calm(services)}.` : 'There are no services.';
  const bad = distinct(problems.filter((one) => one.severity === 'bad'));
  const watch = distinct(problems).filter((name) => !bad.includes(name));
  const others = unsettled(services.filter(({ name }) => !bad.includes(name) && !watch.includes(name)));
  const text = all(bad.length > 0 && `${listed(bad)} ${bad.length === 1 ? 'needs' : 'need'} attention`, watch.length > 0 && `watch ${listed(watch)}`, ...others);
  return `${bad.length > 0 && problems[0].service ? text : text[0].toUpperCase() + text.slice(1)}.`;
}

const nameOf = (problem) => problem.service ?? SUBJECTS[problem.kind]?.(problem) ?? problem.kind;

const distinct = (problems) => [...new Set(problems.map(nameOf))];

/** What is said of the services that are behind. */
const unsettled = (services) =>
  services.flatMap(({ name, trend, standsStill, clear, behind: wait }) => {
    if (standsStill) return [];
    if (trend === 'draining') return [`${name} catches up${left(clear) ? ` in about ${left(clear)}` : ''}`];
    if (trend === 'growing') return [`${name} is ${age(wait)} behind and growing`];
    return trend === 'steady' ? [`${name} is ${age(wait)} behind`] : [];
  });

/** No alert is open, but a service may be catching up. */
function calm(services) {
  const parts = unsettled(services);
  if (parts.length) return all(...parts, services.length > parts.length && 'the rest keeps up');
  return services.length === 1 ? `${services[0].name} keeps up` : 'All services keep up';
}

const COMMANDS = 'Sessions and tokens stay valid; logins and commands are refused.';

/** Which database does not respond, and since when. */
export const awayText = ({ services, since }) => `The ${services.length ? `database of ${listed(services)}` : 'system database'} has not responded since ${clock(since)} UTC.`;

/** Why it does not respond, and what that means for users. @param {object[]} waiting the services that wait for it */
export function awayDetail({ services, since }, waiting, now) {
  const error = waiting.find((one) => one.reason)?.reason;
  return `So far: ${duration(Math.max(1, secondsSince(since, now)))}.${error ? ` The error: ${ended(firstSentence(error))}` : ''}${services.length ? '' : ` ${COMMANDS}`}`;
}

/** What a pause does, before it is requested. @param {string|null} until its end */
export function pauseEffect({ accepted, behind: wait, limit }, until, now) {
  const grows = accepted?.v === undefined ? 'The current rate of arriving messages is unknown.' : accepted.v > 0 ? `The number of waiting messages grows by about ${number(accepted.v)} per second.` : 'No messages arrive at the moment.';
  const rest = wait?.v === undefined ? null : limit - wait.v;
  const late = rest === null || (wait.v === 0 && !(accepted?.v > 0)) ? null : rest > 0 ? `The oldest message passes the ${duration(limit)} limit in ${duration(rest)} at the earliest.` : `The oldest message has already passed the ${duration(limit)} limit.`;
  const passes = rest !== null && rest > 0 && until && now + rest * 1000 < Date.parse(until);
  const end = until && `The service resumes automatically at ${ahead(until, now)} UTC, in ${duration((Date.parse(until) - now) / 1000)}${passes ? '; messages may be late before that' : ''}.`;
  return [grows, late, 'Messages are still accepted; they are performed in order after the service is resumed.', end].filter(Boolean);
}

/** What a resume does, and which pause it ends. */
export function resumeEffect({ paused: pause, unperformed, can, canAtLeast, accepted }, now) {
  const begun = ({ at, by, reason }) => `Paused ${ago(secondsSince(at, now))} by ${by}${reason ? `: “${reason}”` : ''}.`;
  const lines = pause ? [begun(pause), ...(pause.first ? [`It replaced another pause. ${begun(pause.first)}`] : [])] : [];
  const many = unperformed?.v ?? 0;
  if (many === 0) return [...lines, 'No messages wait.'];
  const performs = many === 1 ? '1 message will be performed.' : `${number(many)} messages will be performed in order.`;
  return [...lines, performs, clears(many, can?.v ?? canAtLeast ?? undefined, accepted?.v ?? 0, can?.v === undefined)];
}

function clears(many, can, accepted, isBound) {
  if (can === undefined || (isBound && can <= accepted)) return 'How long it takes is unknown: the capacity of the database was not measured.';
  if (can <= accepted) return 'More messages arrive than the database can perform; the backlog will grow.';
  return isBound
    ? `The database performs at least ${number(can)} per second and catches up within ${forecast(many / (can - accepted))}.`
    : `The database performs about ${number(can)} per second and catches up in about ${forecast(many / (can - accepted))}.`;
}
