/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { curl, FirstSteps } from '/app/parts/first-steps.js';
import { html } from '/app/parts/html.js';
import { equal } from './expect.js';
import { draw, given, texts } from './page.js';

const START = {
  credentials: '/home/olga/.forebay/admin-credentials',
  catalogue: '/home/olga/.forebay/catalogue.yaml',
  examples: true,
  request: "/api/v1/statements/notes.add?wait=5s' -d '{}'",
  performed: 0,
};

const marks = (firstSteps) => {
  given({ firstSteps });
  return texts(draw(html`<${FirstSteps} />`), 'summary small');
};

export function stepsAreMarkedByWhatTheServerSees() {
  equal(marks(START), ['done', 'to do', 'to do']);
  equal(marks({ ...START, performed: 1 }), ['done', 'to do', 'done']);
  equal(marks({ ...START, examples: false }), ['done', 'done', 'to do']);
  equal(marks(null), []);
}

export function theCommandReadsTheTokenFromTheFileIfThereIsOne() {
  equal(
    curl(START, 'http://localhost:8080'),
    `. '/home/olga/.forebay/admin-credentials'; curl -s 'http://localhost:8080/api/v1/statements/notes.add?wait=5s' -d '{}' -H "Authorization: Bearer $TOKEN"`,
  );
  equal(
    curl({ credentials: null, request: "/api/v1/statements'" }, 'http://localhost:8080'),
    `curl -s 'http://localhost:8080/api/v1/statements' -H "Authorization: Bearer $TOKEN"`,
  );
}

export function theStepsStayHidden() {
  given({ firstSteps: START });
  const place = draw(html`<${FirstSteps} />`);
  place.querySelector('button').click();
  equal(localStorage.getItem('forebay.firstSteps.hidden'), 'yes');
  equal(marks(START), []);
  localStorage.removeItem('forebay.firstSteps.hidden');
}
