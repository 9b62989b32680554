/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

/** The requests to the mail server of the shop. */
interface Mail {
  void send(String to, String subject);
}
