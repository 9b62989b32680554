/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

/** What the service answers. */
interface ProbeAnswers {

  void answer(long due);
}
