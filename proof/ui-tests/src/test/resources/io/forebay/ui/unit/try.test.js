/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { curl, value } from '/app/screens/try.js';
import { equal } from './expect.js';

const param = (type, required = true) => ({ name: 'it', schema: type ? { type } : {}, required });

export function aFieldIsSentAsItsType() {
  equal(value(param('string'), '12'), '12', 'text');
  equal(value(param('integer'), '12'), 12, 'number');
  equal(value(param(['number', 'string']), '1.50'), '1.50', 'no digit of a decimal is lost');
  equal(value(param('boolean'), 'true'), true, 'boolean');
  equal(value(param('array'), '[1, 2]'), [1, 2], 'list');
  equal(value(param(null), '{"a": 1}'), { a: 1 }, 'any JSON');
  equal(value(param('integer'), 'many'), 'many', 'the door says what is wrong');
  equal(value(param(['string', 'null'], false), ''), undefined, 'left out');
  equal(value(param('string'), ''), '', 'an empty text that is required');
}

export function theCommandIsSafeToPaste() {
  const statement = { path: '/api/v1/statements/notes.add', params: [{ ...param('string'), name: 'text' }] };
  const line = curl(statement, { texts: { text: "it's $HOME" }, wait: '5s', key: "a'b" });
  equal(line.includes(`-d '{"text":"it'\\''s $HOME"}'`), true, line);
  equal(line.includes(`-H 'Idempotency-Key: a'\\''b'`), true, line);
  equal(line.includes('"Authorization: Bearer $TOKEN"'), true, line);
}
