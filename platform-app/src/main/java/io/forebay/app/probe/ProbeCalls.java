/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

/** What the probe sends to a service. */
interface ProbeCalls {

  void message(long due, byte[] content);
}
