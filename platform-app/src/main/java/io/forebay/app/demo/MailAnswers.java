/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

/** The answers of the mail server. */
interface MailAnswers {
  void sent(String to);
}
