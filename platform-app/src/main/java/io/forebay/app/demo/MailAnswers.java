/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

/** What it answers. */
interface MailAnswers {
  void sent(String to);
}
