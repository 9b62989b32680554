/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { anotherPause } from '/app/actions.js';
import { commandLine, lastCommands } from '/app/parts/last-commands.js';
import { checkLine } from '/app/screens/audit.js';
import { equal } from './expect.js';

const now = Date.parse('2026-11-20T02:31:07Z');

export function aPauseOfSomebodyElseIsAConfirmationWithItsAge() {
  const document = { paused: { at: '2026-11-20T02:31:06.123456Z', by: 'olga', reason: 'migration' } };
  equal(anotherPause({ status: 409, document }, now), {
    text: 'Paused 1 s ago by olga: “migration”. Replace this pause and its reason with yours?',
    verb: 'Replace the pause',
    seen: '2026-11-20T02:31:06.123456Z',
  }, 'a pause');
  equal(anotherPause({ status: 409, document: {} }, now), null, 'another conflict');
  equal(anotherPause({ status: 400, document }, now), null, 'another problem');
}

export function aCommandIsALineWithItsReasonAndAnUnusualOutcome() {
  const entry = { action: 'service.pause', target: 'mail', reason: 'migration', outcome: 'allowed' };
  equal(commandLine(entry), 'paused mail: “migration”', 'with a reason');
  equal(commandLine({ ...entry, reason: '' }), 'paused mail', 'without');
  equal(commandLine({ ...entry, outcome: 'allowed, was already paused' }), 'paused mail: “migration” (was already paused)', 'no change');
  equal(commandLine({ ...entry, action: 'new.command', reason: '', outcome: 'failed: no' }), 'new.command mail (failed)', 'unknown and failed');
}

export function theCheckOfTheAuditIsASentence() {
  const check = { intact: true, from: 3, to: 1204, entries: 1202, unnumbered: 0, findings: [], at: '2026-11-20T02:31:07Z' };
  equal(checkLine(check), 'No entry was changed or deleted: numbers 3 to 1,204, checked at 02:31:07 UTC.', 'intact');
  const findings = [{ text: 'entry 7 is changed' }, { text: 'entries 9 to 10 are missing' }];
  equal(checkLine({ ...check, intact: false, unnumbered: 2, findings }),
    'Entries were changed or deleted in the database: entry 7 is changed; entries 9 to 10 are missing. 2 later without a number: written by an older version, or not by Forebay.', 'damaged');
}

export function aFailedCommandIsListedOnce() {
  const entry = (id, outcome, reason = '') => ({ id, actor: 'olga', action: 'service.pause', target: 'mail', reason, outcome });
  const entries = [entry(6, 'failed: no'), entry(5, 'allowed'), entry(4, 'allowed'), entry(3, 'failed: no', 'b'), entry(2, 'allowed'), entry(1, 'allowed', 'b')];
  equal(lastCommands(entries).map(({ id }) => id), [6, 4, 3], 'newest three');
}
