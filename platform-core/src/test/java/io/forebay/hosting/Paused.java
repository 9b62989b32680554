/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.awaitility.Awaitility.await;

import io.forebay.service.ServiceState.Phase;
import java.util.Set;

/** Pauses services of tests. */
public final class Paused {

  private static final Set<Phase> MAY_PERFORM = Set.of(Phase.STARTING, Phase.RUNNING);

  private Paused() {}

  /**
   * Pauses a service and waits until it rests. {@link HostedService#pause} returns earlier: a
   * partition that is just looking for messages still performs those that it finds.
   */
  public static void pause(HostedService<?, ?> service, String reason) {
    service.pause(reason);
    await()
        .until(() ->
            service.states().values().stream()
                .noneMatch(state -> MAY_PERFORM.contains(state.phase())));
  }
}
