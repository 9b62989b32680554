/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.Unavailable;
import java.util.List;

/**
 * Keeps what operators want of services where a restart, and every other instance, finds it.
 * Thread-safe.
 */
public interface DesiredStates {

  /**
   * What is wanted of each service of which something was ever wanted.
   *
   * @throws Unavailable if that cannot be read now
   */
  List<DesiredState> all();

  /**
   * Keeps it in the place of what was wanted of that service. When this returns, it is durable.
   *
   * @throws Unavailable if it may not have been kept
   */
  void keep(DesiredState desired);
}
