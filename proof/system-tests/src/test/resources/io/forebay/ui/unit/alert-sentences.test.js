/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { awayDetail, awayText, byCause, headline, pauseEffect, resumeEffect, sentence, thrown } from '/app/alerts.js';
import { equal } from './expect.js';

const now = Date.parse('2026-11-20T02:31:00Z');
const MIB = 2 ** 20;
const unknown = { why: 'not measured' };
const NOTHING = { slower: null, can: null, timesUsual: null, usualOver: null };
const standing = {
  state: 'growing', trend: 'growing', reason: '', accepts: true, limit: 300, behind: { v: 252 }, unperformed: { v: 503_201 }, growth: { v: 0.2 },
  clear: { v: { never: 'not at this rate' } }, late: { v: { in: 274 } }, accepted: { v: 2000 }, performed: { v: 1650 },
};

const say = (kind, figures, more = {}) => sentence({ kind, service: 'orders', figure: null, figures, ...more }, now);
const behind = (more = {}, cause = {}) => say('behind', { ...standing, ...more, cause: { ...NOTHING, ...cause } });

export function aServiceThatFallsBehindHasItsRatesAndWhenItIsLate() {
  const head = 'orders is 4 m 12 s behind and growing: accepts 2,000/s, performs 1,650/s.';
  equal(behind(), `${head} Passes its 5 m limit in about 4 m 34 s.`, 'before its limit');
  equal(behind({ accepted: { v: 83 }, performed: { v: 95 } }), 'orders is 4 m 12 s behind: accepts 83/s, performs 95/s. When it catches up is not known yet.', 'a burst that has just ended');
  equal(behind({ accepted: { v: 100 }, performed: { v: 120 }, late: { v: { passed: true } } }).split('/s. ')[1], 'When it catches up is not known yet.', 'past its limit');
  equal(behind({ accepted: { v: 90 }, performed: { v: 98 } }, { timesUsual: 12 }).split('/s. ')[1], 'When it catches up is not known yet.', 'the end of a burst needs no act');
  equal(behind({ late: { v: { passed: true } } }), 'orders is 4 m 12 s behind, past its 5 m limit, and growing: accepts 2,000/s, performs 1,650/s. It does not catch up at this rate.', 'past it');
  equal(behind({}, { timesUsual: 12, usualOver: 86_400 }), `${head} Passes its 5 m limit in about 4 m 34 s. That is 12 times the usual intake (of the last 1 d). Slow down senders that can wait.`, 'more than usual');
  equal(behind({}, { timesUsual: 12 }).split('intake ')[1], '(before the last start). Slow down senders that can wait.', 'after a restart');
  equal(behind({}, { timesUsual: 12, usualOver: 664 }).includes('(of the last 11 m)'), true, 'in minutes');
  equal(behind({}, { slower: { perSecond: 105, times: 6.1 }, can: 640 }),
    `${head} Passes its 5 m limit in about 4 m 34 s. The database of orders is slower than usual: it performs 105/s at most instead of 640/s. Look for locks, load and slow plans there.`, 'a slow database');
}

/** A batch with a statement that fails is performed again in pieces, which is no fault of the database. */
export function statementsThatFailAreNotCalledASlowDatabase() {
  const why = 'because statements fail and their batches are performed again, which takes 78 % of its time.';
  const slower = { perSecond: 21, times: 4.4, lost: 0.78 };
  equal(behind({}, { slower, can: 100 }).split('34 s. ')[1], `orders performs 21/s instead of 100/s ${why}`, 'behind');
  equal(behind({}, { slower: { ...slower, perSecond: null } }).split('34 s. ')[1], `orders performs less than usual ${why}`, 'no rate');
  equal(say('database', { ...standing, trend: 'keeping_up', cause: { ...NOTHING, slower, can: 100 } }, { figure: 0.97 }), `The workers of orders are 97 % busy; there is little spare capacity. orders performs 21/s instead of 100/s ${why}`, 'busy');
}

export function aServiceThatWasResumedHasNoRateYet() {
  const resumed = { state: 'resuming', trend: 'steady', behind: { v: 402 }, late: { v: { passed: true } }, performed: unknown, clear: { why: 'the first batch has run for 2 s' } };
  equal(behind(resumed), 'orders is 6 m 42 s behind, past its 5 m limit. When it catches up is unknown: the first batch has run for 2 s.', 'words');
}

export function aServiceThatCatchesUpSaysWhenAndWhetherAnybodyMustAct() {
  const draining = { state: 'draining', trend: 'draining', clear: { v: { in: 60 } }, late: { v: { never: 'it catches up' } }, peak: null };
  const peak = 270;
  equal(behind(draining), 'orders is 4 m 12 s behind and catching up: accepts 2,000/s, performs 1,650/s. Nothing to do: catches up in about 1 m.', 'nothing');
  equal(behind({ ...draining, state: 'refusing', peak }).split('/s. ')[1], 'Nothing to do: catches up in about 1 m; no message waits longer than about 4 m 30 s.', 'the wait rises');
  equal(behind({ ...draining, peak: 310, late: { v: { in: 20 } } }).split('/s. ')[1], 'It catches up in about 1 m, but passes the 5 m limit in about 20 s; no message waits longer than about 5 m 10 s; inform those who wait for results.', 'late before');
  equal(behind({ ...draining, late: { v: { passed: true } } }).split('/s. ')[1], 'Nothing to do: catches up in about 1 m.', 'late');
}

export function busyWorkersAndASlowDatabaseSayWhatTheyMean() {
  const calm = { ...standing, state: 'keeping_up', trend: 'keeping_up', behind: { v: 0.2 } };
  const busy = (cause) => say('database', { ...calm, cause: { ...NOTHING, ...cause } }, { figure: 0.93 });
  equal(busy({}), 'The workers of orders are 93 % busy; there is little spare capacity.', 'busy');
  equal(busy({ slower: { perSecond: 50, times: 3.2 }, can: 160 }), 'The database of orders is slower than usual: a message takes 3.2 times as long. No message is late. Look for locks, load and slow plans there.', 'slow without a backlog');
  equal(busy({ slower: { perSecond: null, times: 9 } }), 'The database of orders is slower than usual: a message takes 9 times as long. No message is late. Look for locks, load and slow plans there.', 'slow');
}

export function aServiceThatWaitsSaysForWhatAndWhoActs() {
  const waits = (more) => say('waiting', { ...standing, state: 'waiting', outage: null, lock: null, forOneMessage: false, ...more });
  const away = { since: '2026-11-20T02:30:00Z', until: null };
  equal(waits({ outage: away, late: { v: { never: 'no message waits' } } }), 'orders waits for its database. Messages are still accepted. Start the database, or repair the network to it; the service resumes automatically.', 'a database');
  equal(waits({ outage: away }).split('. ')[0], 'orders waits for its database and passes its 5 m limit in 4 m 34 s', 'before its limit');
  equal(waits({ outage: away, late: { v: { passed: true } } }).split('. ')[0], 'orders waits for its database and is past its 5 m limit', 'past its limit');
  equal(waits({ reason: 'the brokers do not respond.', accepts: false }), 'orders waits: the brokers do not respond. Messages are refused; the service resumes automatically.', 'something else');
  equal(waits({ forOneMessage: true, reason: 'SQLState 40001' }), 'orders waits: SQLState 40001. Messages are still accepted; later messages of the partition wait until it is performed, or an operator fails it.', 'one message');
  const lock = { session: 123, application: 'psql', user: 'olga', since: '2026-11-20T02:30:20Z', waits: '2026-11-20T02:30:50Z' };
  equal(waits({ lock, unperformed: { v: 755 } }), 'orders waits for a lock that session 123 (psql, user olga) holds, whose transaction began 40 s ago; 755 messages wait. It resumes automatically when that transaction ends: commit it, or end the session with select pg_terminate_backend(123).', 'a lock');
  equal(waits({ lock: { ...lock, application: '', user: '', since: null, hidden: true }, unperformed: { v: 1 } }).split('. ')[0], 'orders waits for a lock that session 123 holds, for at least 10 s; 1 message waits', 'a lock of which little is known');
  equal(waits({ lock: { ...lock, since: null, hidden: false }, unperformed: { v: 1 } }), 'orders waits for a lock that session 123 (psql, user olga) holds; 1 message waits. It resumes automatically when it is released: release it there, or end the session with select pg_terminate_backend(123).', 'a lock without a transaction');
  equal(waits({ lock: { ...lock, idleSince: '2026-11-20T02:30:25Z' } }).split('; ')[0], 'orders waits for a lock that session 123 (psql, user olga) holds, whose transaction began 40 s ago and has been idle for 35 s', 'an idle session');
  equal(waits({ state: 'waiting_for_lock', reason: 'SQLState 55P03' }), 'orders waits: another session holds or held a lock. Messages are still accepted; the service resumes automatically.', 'a lock that was just released');
  const outage = { since: '2026-11-20T02:27:00Z', until: '2026-11-20T02:29:51Z' };
  equal(waits({ outage, unperformed: { v: 18_299 } }), 'The database of orders is back after 2 m 51 s; 18,299 messages wait.', 'never that all is well');
}

const alertOf = (kind, service, figures, severity = 'bad') => ({ id: `${kind}~${service}`, kind, service, severity, figure: null, figures: { ...standing, cause: NOTHING, ...figures } });
const told = (...problems) => byCause(problems).map((one) => sentence(one, now));

export function oneOutageIsOneAlertThatNamesTheServices() {
  const away = (service, more = {}) => alertOf('waiting', service, { outage: { since: '2026-11-20T02:30:00Z', until: null }, lock: null, forOneMessage: false, ...more });
  const rest = 'Messages are still accepted. Start the database, or repair the network to it; the services resume automatically.';
  equal(told(away('customers'), away('orders', { late: { v: { in: 60 } } }), away('payments')), [`customers, orders and payments wait for their database; orders passes its 5 m limit first, in 1 m. ${rest}`], 'three');
  equal(told(away('a', { late: { v: { passed: true } } }), away('b'), away('c'), away('d')), [`a, b, c and 1 more wait for their database; a is past its 5 m limit. ${rest}`], 'many');
  equal(told(away('orders'), away('mail', { accepts: false })).length, 2, 'one of them refuses messages');
  const back = (service) => away(service, { outage: { since: '2026-11-20T02:27:00Z', until: '2026-11-20T02:29:51Z' }, reason: '', unperformed: { v: 200 } });
  equal(told(back('orders'), back('mail')), ['The databases of orders and mail are back after 2 m 51 s; 400 messages wait.'], 'after it');
  const soon = { outage: { since: '2026-11-20T02:29:41Z', until: '2026-11-20T02:29:51Z' }, reason: '', unperformed: { v: 1 } };
  equal(told(back('orders'), away('mail', soon)), ['The databases of orders and mail are back after up to 2 m 51 s; 201 messages wait.'], 'other lengths');
}

export function oneLockAndSlowDatabasesAreOneAlert() {
  const locked = (service, session, since = '2026-11-20T02:30:20Z') => alertOf('waiting', service, { outage: null, forOneMessage: false, unperformed: { v: 20 }, lock: { session, application: 'psql', user: 'olga', since } });
  equal(told(locked('orders', 7), locked('mail', 7, '2026-11-20T02:30:21Z')).length, 2, 'sessions of two databases');
  equal(told(locked('orders', 7), locked('mail', 7), locked('stock', 8)).map((text) => text.split('. ')[0]),
    ['orders and mail wait for a lock that session 7 (psql, user olga) holds, whose transaction began 40 s ago; 40 messages wait', 'stock waits for a lock that session 8 (psql, user olga) holds, whose transaction began 40 s ago; 20 messages wait'], 'locks');
  const slow = (service) => alertOf('database', service, { trend: 'keeping_up', cause: { ...NOTHING, slower: { perSecond: 16, times: 9 }, can: 106 } }, 'watch');
  equal(told(slow('orders'), slow('mail')), ['The databases of orders and mail are slower than usual: a message takes 9 times as long. No message is late. Look for locks, load and slow plans there.'], 'slow');
}

/** Their rows have the rates, and the page of each its own forecast. */
export function oneBurstIsOneAlert() {
  const late = (service, more, severity = 'watch', kind = 'late') => alertOf(kind, service, { cause: { ...NOTHING, timesUsual: 17, usualOver: 664 }, ...more }, severity);
  const burst = 'mail gets 17 times the usual intake (of the last 11 m). Slow down senders that can wait.';
  equal(told(late('mail'), late('stock', { late: { v: { in: 127 } }, limit: 60 })), [`mail and stock are behind and growing; stock passes its 1 m limit first, in 2 m 7 s. ${burst}`], 'growing');
  equal(told(late('mail', { late: { v: { passed: true } } }, 'bad', 'behind'), late('stock', {}, 'bad')), [`mail and stock are behind and growing; mail is past its 5 m limit. ${burst}`], 'past a limit');
  const past = (service, more) => late(service, { late: { v: { passed: true } }, ...more }, 'bad', 'behind');
  equal(told(past('mail'), past('stock')), [`mail and stock are behind and growing; all are past their limit. ${burst}`], 'all past it');
  equal(told(past('mail'), late('bills', {}, 'bad'), past('stock')), [`mail, bills and stock are behind and growing; mail and stock are past their limit. ${burst}`], 'some past it');
  const slow = { cause: { ...NOTHING, slower: { perSecond: 16, times: 9 }, can: 106 }, late: { v: { never: '' } } };
  equal(told(late('mail', slow), late('stock', slow)), ['mail and stock are behind and growing. The databases of mail and stock are slower than usual: mail performs 16/s at most instead of 106/s. Look for locks, load and slow plans there.'], 'slow databases');
  const draining = (end, more) => ({ trend: 'draining', state: 'draining', late: { v: { never: '' } }, clear: { v: { in: end } }, peak: null, ...more });
  equal(told(late('mail', draining(25)), late('stock', draining(39))), ['mail and stock are behind and catching up. Nothing to do: stock catches up last, in about 39 s.'], 'catching up');
  const rises = { late: { v: { passed: true } }, peak: 400 };
  equal(told(past('mail', draining(25, rises)), late('stock', draining(39, { peak: 90 }), 'bad')), ['mail and stock are behind and catching up; mail is past its 5 m limit. Nothing to do: stock catches up last, in about 39 s; no message waits longer than about 6 m 40 s.'], 'past a limit, and not at the peak yet');
  equal(told(late('mail', draining(25)), late('stock', draining(39, { late: { v: { in: 9 } } }))).length, 2, 'one is late before');
  equal(told(late('mail'), late('stock', {}, 'bad')).length, 2, 'other colours');
  equal(told(late('mail'), late('stock', slow)).length, 2, 'other causes');
  equal(told(late('mail'), late('stock', { accepted: { v: 100 }, performed: { v: 120 } })).length, 2, 'the burst of one has ended');
  equal(told(late('mail'), late('stock', { trend: 'steady' })).length, 2, 'one is steady');
}

export function aServiceThatStoppedOrRefusesSaysWhy() {
  equal(say('failed', { phase: 'failed', reason: 'a checksum is wrong.' }), 'orders has failed and performs nothing: a checksum is wrong. An operator must act.', 'failed');
  equal(say('failed', { phase: 'fenced', reason: '' }), 'orders was taken over by another instance; this instance no longer performs it.', 'fenced');
  equal(say('refusing', { reason: 'disk' }), 'orders refuses messages: its disk is full.', 'refusing');
  equal(say('refusing', { reason: 'failed' }), 'orders refuses messages: its queue failed, and an operator must act.', 'failed queue');
  equal(say('stalled', { phase: 'running', reason: 'orders.in-0 is blocked by producer 4' }), 'orders: orders.in-0 is blocked by producer 4.', 'stalled');
  equal(say('loss', { loss: { v: { in: 540 } } }), 'orders: retention deletes the oldest waiting message in 9 m, although it was not performed. Resume or repair the service, or raise retention.ms.', 'loss');
  equal(say('burst', { onTime: { v: { in: 197 } }, usual: { v: 240 } }), 'orders stays within its limit for 3 m 17 s of a 10× burst; bursts usually last 4 m.', 'burst');
}

export function aPauseSaysByWhomForHowLongAndWhatToDo() {
  const pause = { by: 'olga', at: '2026-11-20T02:25:50Z', reason: 'migration', until: null, first: null };
  const paused = (more, change = {}) => say('paused', { ...standing, state: 'paused', behind: { v: 310 }, late: { v: { passed: true } }, pause: { ...pause, ...change }, ...more });
  const head = 'orders has been paused by olga for 5 m 10 s: migration. It has no end. Messages are still accepted.';
  const ask = 'Ask olga whether it can be resumed, or inform those who wait for results.';
  equal(paused({}), `${head} The oldest message has waited 5 m 10 s (limit 5 m). ${ask}`, 'late');
  equal(paused({ late: { v: { in: 290 } } }), `${head} The oldest message passes the 5 m limit in 4 m 50 s. ${ask}`, 'before its limit');
  equal(paused({ behind: { v: 0 }, late: { v: { never: 'no message waits' } } }), `${head} No message waits. Ask olga whether it can be resumed.`, 'without traffic');
  const first = { by: 'paul', at: '2026-11-20T01:00:00Z', reason: 'index' };
  equal(paused({}, { first }).split('. ')[0], 'orders has been paused by paul for 1 h 31 m: index; olga replaced that pause 5 m 10 s ago: migration', 'replaced');
  equal(paused({}, { until: '2026-11-20T08:00:00Z' }), 'orders is paused until 08:00 UTC by olga: migration; its oldest message is past the 5 m limit.', 'with an end');
  equal(paused({ late: { v: { in: 60 } } }, { until: '2026-11-20T08:00:00Z' }), 'orders is paused until 08:00 UTC by olga: migration; its oldest message will be late at 02:32.', 'late before the end');
}

const CALLERS = 'Their callers got the error; other statements do not wait for them.';

export function failuresSayHowManyWhyAndWhenTheAlertCloses() {
  const cause = { statement: 'orders.add', text: 'check constraint qty of orders violated' };
  const failing = (more) => say('failing', { count: 100, performed: 14_000, lately: 60, shareNow: null, over: null, cause: null, closes: false, ...more });
  equal(failing({ shareNow: 0.3, cause }), `orders: 30 % of statements fail, 60 in the last minute: orders.add, check constraint qty of orders violated; see Failed. ${CALLERS}`, 'now');
  equal(failing({}), `orders: 0.7 % of statements failed in the last 15 minutes; see Failed. ${CALLERS}`, 'lately');
  equal(failing({ over: 80, closes: true }), 'orders: 0.7 % of statements failed in the last 15 minutes, the last one 1 m 20 s ago; see Failed. Their callers got the error. The alert closes soon.', 'over');
  equal(failing({ over: 4 }).split('Failed. ')[1], 'Their callers got the error. The alert closes once none is open there, or 15 minutes after the last one.', 'open ones');
  equal(say('dead', { count: 3, lately: 3 }), 'orders got 3 dead letters in the last 15 minutes; see Failed.', 'dead letters');
  equal(say('dead', { count: 1, lately: 0 }), 'orders got 1 dead letter in the last 15 minutes, none in the last minute; see Failed. The alert closes once none is open there, or 15 minutes after the last one.', 'none lately');
}

const disk = { runway: unknown, usedBytes: { v: 72 * 1024 * MIB }, stopBytes: { v: 90 * 1024 * MIB }, sizeBytes: { v: 100 * 1024 * MIB }, toFreeBytes: { v: 0 }, othersShare: { v: 0.97 }, next: { until: { in: 2520 }, bytes: 244 * MIB }, enough: null, refusing: null };
const ACT = 'is not from queues: find what else writes there (a log, a database, another program), and stop it.';
const OTHERS = `Nearly all of its growth ${ACT}`;
const ofDisk = (kind, figures, figure = null) => sentence({ kind, volume: '/data', service: null, figure, figures: { ...disk, ...figures } }, now);

export function aDiskSaysWhenItIsFullWhoFillsItAndWhatIsDeletedNext() {
  const runway = { v: { middle: { in: 240 }, low: { in: 120 } } };
  equal(ofDisk('disk', { runway }), `/data will be full in about 4 m (2 m at the earliest); then callers are refused. ${OTHERS}`, 'the next file is deleted too late');
  equal(ofDisk('disk', { runway: { v: { middle: { in: 3600 }, low: { in: 3600 } } } }), `/data will be full in about 1 h; then callers are refused. ${OTHERS} The next file (244 MiB) is deleted in 42 m.`, 'in time');
  equal(ofDisk('disk', { runway: { v: { middle: { never: 'it shrinks' }, low: { in: 7200 } } }, othersShare: unknown, next: null }), '/data may be full in 2 h at the earliest; then callers are refused. No file is due for deletion.', 'perhaps');
  equal(ofDisk('disk', { runway, othersShare: { v: 0.94 }, next: null }).split('refused. ')[1], `94 % of its growth ${ACT} No file is due for deletion.`, 'most of it');
  equal(ofDisk('space', {}, 0.19), `/data: 19 % of what may be used is free (18 GiB). ${OTHERS} The next file (244 MiB) is deleted in 42 m.`, 'by level');
}

export function aDiskThatHasBegunToFillSaysItsRateAndWhatThatMeans() {
  const runway = { v: { middle: { in: 9000 }, low: { in: 7200 }, begun: { in: 720 } } };
  equal(ofDisk('disk', { runway, usedBytes: { v: 90 * 1024 * MIB - 720 * MIB }, othersShare: { v: 0.3 }, next: null }), `/data fills at 1 MiB/s: at this rate it is full in 12 m; then callers are refused. Most of its growth ${ACT} No file is due for deletion.`, 'words');
}

export function aFullDiskSaysWhoRefusesAndHowMuchMustBeFreed() {
  const full = { usedBytes: { v: 90 * 1024 * MIB }, sizeBytes: { v: 99.3 * 1024 * MIB }, toFreeBytes: { v: 954 * MIB }, othersShare: unknown };
  const head = '/data is full: messages are refused until space is freed; callers can repeat them. What was accepted is kept.';
  equal(ofDisk('disk', { ...full, refusing: [] }), `${head} 9.3 GiB are left as reserve; at least 954 MiB must be freed. The next file (244 MiB) is deleted in 42 m; the files that are due do not free enough.`, 'none refuses yet');
  equal(ofDisk('disk', { ...full, usedBytes: full.sizeBytes, enough: { until: { in: 10_800 }, bytes: 954 * MIB }, refusing: ['orders'] }).replace(/^.*is kept\./, ''),
    ' Nothing is left; at least 954 MiB must be freed. The next file (244 MiB) is deleted in 42 m; enough files (954 MiB) are deleted in 3 h.', 'enough files');
  equal(ofDisk('disk', { ...full, refusing: ['orders'] }).split(' until')[0], '/data is full: orders refuses messages', 'one refuses');
  equal(ofDisk('disk', { ...full, refusing: ['mail', 'orders'] }).split(' until')[0], '/data is full: mail and orders refuse messages', 'two refuse');
}

export function anInstanceThatIsNotSeenSaysWhatToLookAt() {
  equal(say('instance', { name: 'app-2', unseen: 41 }), 'Instance app-2 has not been seen for 41 s. If it was stopped or replaced, this ends automatically; otherwise look at its log.', 'instance');
}

const run = { trouble: 'failed', job: 'letters', execution: 7, runs: 1, again: false, ended: '2026-11-23T02:59:00Z', failure: 'java.io.IOException: full', read: 10, written: 1, skipped: 0, parameters: {} };
const ofJob = (more) => sentence({ kind: 'job', job: 'letters', service: null, figure: null, figures: { ...run, ...more } }, now);

export function theAdviceAboutAFailedJobFitsItsCause() {
  equal(ofJob({}), 'Job letters failed at 23 Nov 02:59 UTC: full (IOException). 1 record was written before it failed. Correct the cause, then restart execution 7. With other parameters, start the job again and abandon execution 7.', 'a cause outside');
  equal(ofJob({ trouble: 'not_begun', written: 0, read: 0, failure: 'there is no statement letters.sned' }), 'Job letters failed at 23 Nov 02:59 UTC: there is no statement letters.sned. No record was performed. If its parameters are wrong, start the job again with the right ones; the alert closes when that run is complete. Otherwise correct the cause, then restart execution 7.', 'wrong parameters');
  equal(ofJob({ runs: 2, failure: 'java.sql.SQLException' }), 'Job letters: 2 runs failed. The newest failed at 23 Nov 02:59 UTC: SQLException (the log of its process has the message). 1 record was written before it failed. Correct the cause, then restart or abandon each of them.', 'several');
  equal(ofJob({ trouble: 'lost', failure: '', parameters: { at: '2026-11-23T01:30:00Z' } }), 'Job letters: execution 7 with at=2026-11-23T01:30:00Z lost its process, and nothing restarts it automatically. Restart or abandon it.', 'lost');
  equal(ofJob({ trouble: 'dead' }), 'Job letters: the process of execution 7 is dead. If it is not recovered automatically within a minute, recover and restart it.', 'dead');
}

export function aCompleteJobThatSkippedItemsSaysHowMany() {
  equal(ofJob({ trouble: 'skipped', read: 5000, skipped: 1667 }), 'Job letters is complete, but skipped 1,667 of 5,000 items (33 %). Execution 7 shows in which step, and why it skipped the last one. The skipped items have no effect. The alert closes when the job runs again, or after a day.', 'words');
}

export function anExceptionIsShownAsItsMessage() {
  equal(thrown('java.io.IOException: disk: full'), 'disk: full (IOException)', 'with a message');
  equal(thrown('the service orders refused it'), 'the service orders refused it', 'a sentence');
  equal(thrown('line 812: no amount'), 'line 812: no amount', 'a sentence with a colon');
}

const services = ['ledger', 'mail', 'orders'].map((name) => ({ name, trend: 'keeping_up' }));
const alert = (kind, severity, service = null, more = {}) => ({ id: `${kind}~${service}`, kind, severity, service, ...more });
const head = (problems, all = services) => headline({ problems }, all);

export function theHeadlineNamesWhatNeedsAttention() {
  equal(head([alert('late', 'watch', 'orders')]), 'Watch orders.', 'one is watched');
  equal(head([alert('late', 'bad', 'orders'), alert('failing', 'watch', 'orders')]), 'orders needs attention.', 'one is bad');
  equal(head([alert('failed', 'bad', 'mail'), alert('late', 'bad', 'orders')]), 'mail and orders need attention.', 'two are bad');
  equal(head(['a', 'b', 'c', 'd', 'e'].map((name) => alert('waiting', 'bad', name))), 'a, b, c and 2 more need attention.', 'many are bad');
  equal(head([alert('space', 'watch', null, { volume: '/data' })]), 'Watch disk /data.', 'a disk');
  equal(head([alert('failing', 'bad', 'orders'), alert('disk', 'bad', null, { volume: '/data' })]), 'orders and disk /data need attention.', 'names stay as they are');
  const late = { name: 'orders', trend: 'draining', clear: { v: { in: 26 } } };
  equal(head([alert('paused', 'watch', 'mail')], [...services.slice(0, 2), late]), 'Watch mail; orders catches up in about 26 s.', 'a service without an alert');
  equal(head([alert('disk', 'bad', null, { volume: '/data' }), alert('failing', 'bad', 'orders')]), 'Disk /data and orders need attention.', 'the disk first');
}

export function aFailedJobDoesNotHideAService() {
  const job = alert('job', 'bad', null, { job: 'letters' });
  equal(head([job]), 'Job letters needs attention.', 'alone');
  equal(head([alert('late', 'bad', 'orders'), job]), 'orders and job letters need attention.', 'a service is bad, too');
  equal(head([job, alert('late', 'watch', 'orders')]), 'Job letters needs attention; watch orders.', 'a service is watched');
}

export function withoutAlertsTheHeadlineSaysWhoKeepsUp() {
  equal(head([]), 'All services keep up.', 'all');
  equal(head([], services.slice(0, 1)), 'ledger keeps up.', 'the only one');
  equal(head([], []), 'There are no services.', 'none');
  const behind = (more) => ({ name: 'orders', ...more });
  equal(head([], [behind({ trend: 'draining', clear: { v: { in: 9 } } })]), 'orders catches up in about 9 s.', 'the only one catches up');
  equal(head([], [...services.slice(1), behind({ trend: 'draining', clear: { v: { in: 9 } } })]), 'orders catches up in about 9 s; the rest keeps up.', 'catching up');
  equal(head([], [...services.slice(1), behind({ trend: 'growing', behind: { v: 9 } })]), 'orders is 9 s behind and growing; the rest keeps up.', 'growing');
  equal(head([], [...services.slice(1), behind({ trend: 'steady', behind: { v: 30 } })]), 'orders is 30 s behind; the rest keeps up.', 'after a break');
}

export function aDatabaseThatDoesNotRespondSaysWhatHappensMeanwhile() {
  const away = { services: ['orders'], since: '2026-11-20T02:30:10Z' };
  const orders = { name: 'orders', reason: 'the database is unavailable (SQLState 08001: refused). Check the host.' };
  equal(awayText(away), 'The database of orders has not responded since 02:30:10 UTC.', 'which');
  equal(awayText({ ...away, services: ['a', 'b', 'c', 'd'] }), 'The database of a, b, c and 1 more has not responded since 02:30:10 UTC.', 'several');
  equal(awayText({ ...away, services: [] }), 'The system database has not responded since 02:30:10 UTC.', 'the system database');
  equal(awayDetail(away, [orders], now), 'So far: 50 s. The error: the database is unavailable (SQLState 08001: refused)…', 'why');
  equal(awayDetail(away, [{ name: 'orders', reason: 'the database is unavailable (SQLState 08001: refused. Check the host.)' }], now), 'So far: 50 s. The error: the database is unavailable (SQLState 08001: refused…).', 'a bracket is closed');
  equal(awayDetail({ ...away, services: [] }, [], now), 'So far: 50 s. Sessions and tokens stay valid; logins and commands are refused.', 'what that means');
}

export function aPauseAndAResumeSayBeforehandWhatTheyDo() {
  const service = { accepted: { v: 20 }, behind: { v: 0 }, limit: 300, unperformed: { v: 6000 }, can: { v: 100 }, paused: null };
  equal(pauseEffect(service, '2026-11-20T06:31:00Z', now), ['The number of waiting messages grows by about 20 per second.', 'The oldest message passes the 5 m limit in 5 m at the earliest.',
    'Messages are still accepted; they are performed in order after the service is resumed.', 'The service resumes automatically at 06:31 UTC, in 4 h; messages may be late before that.'], 'a pause');
  equal(pauseEffect({ ...service, accepted: { v: 0 } }, null, now), ['No messages arrive at the moment.', 'Messages are still accepted; they are performed in order after the service is resumed.'], 'nothing waits');
  equal(resumeEffect(service, now), ['6,000 messages will be performed in order.', 'The database performs about 100 per second and catches up in about 1 m 15 s.'], 'a resume');
  equal(resumeEffect({ ...service, can: unknown }, now)[1], 'How long it takes is unknown: the capacity of the database was not measured.', 'without a capacity');
  equal(resumeEffect({ ...service, can: unknown, canAtLeast: 100 }, now)[1], 'The database performs at least 100 per second and catches up within 1 m 15 s.', 'with a lower bound');
  const paused = { at: '2026-11-20T02:30:00Z', by: 'ada', reason: 'test', first: { at: '2026-11-20T02:21:00Z', by: 'ben', reason: '' } };
  equal(resumeEffect({ ...service, unperformed: { v: 0 }, paused }, now), ['Paused 1 m ago by ada: “test”.', 'It replaced another pause. Paused 10 m ago by ben.', 'No messages wait.'], 'whose pause it ends');
}
