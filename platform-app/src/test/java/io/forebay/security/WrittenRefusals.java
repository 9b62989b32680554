/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import org.springframework.context.ApplicationContext;

/** Writes the counts of refusals to the audit, which the service does once a minute. */
public final class WrittenRefusals {

  private WrittenRefusals() {}

  public static void write(ApplicationContext service) {
    service.getBean(Refusals.class).flush();
  }
}
