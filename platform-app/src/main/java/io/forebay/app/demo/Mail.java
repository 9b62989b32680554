/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

/** What the mail server of the shop is asked. */
interface Mail {
  void send(String to, String subject);
}
