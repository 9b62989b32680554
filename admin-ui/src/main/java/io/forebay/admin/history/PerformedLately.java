/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

/** What services have performed lately, at all instances that are known here. Thread-safe. */
@FunctionalInterface
public interface PerformedLately {

  /**
   * The messages that a service performed in the last minute, about; if messages failed in it,
   * since those began. NaN if unknown.
   */
  double sinceFailing(String service);
}
