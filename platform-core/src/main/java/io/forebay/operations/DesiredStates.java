/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.util.List;

/**
 * Stores the desired states of services, so that they survive restarts and reach all instances.
 * Thread-safe.
 */
public interface DesiredStates {

  /**
   * The latest desired state of each service that has one.
   *
   * @throws io.forebay.service.progress.Unavailable if they cannot be read now
   */
  List<DesiredState> all();

  /**
   * Replaces the desired state of a service. It is durable when this returns.
   *
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  void keep(DesiredState desired);
}
