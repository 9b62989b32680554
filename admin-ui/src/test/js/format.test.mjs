/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

// node --test admin-ui/src/test/js: the page writes figures as the server does. The build does not need node.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

const app = new URL('../../main/resources/io/forebay/admin/page/app/', import.meta.url);
const source = readFileSync(new URL('format.js', app), 'utf8');
const format = await import('data:text/javascript,' + encodeURIComponent(source));
const vectors = JSON.parse(readFileSync(new URL('format-vectors.json', app), 'utf8'));

for (const [name, examples] of Object.entries(vectors)) {
  test(name, () => {
    for (const [value, text] of examples) assert.equal(format[name](value), text, `${name}(${value})`);
  });
}
