/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.watch.Clears;
import io.forebay.capacity.Until;
import io.forebay.operations.Services;
import io.forebay.service.ServiceState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The times known without the history of services: "never" for those that do not run. */
record StandingClears(Services services) implements Clears {

  private static final Set<ServiceState.Phase> STANDING =
      Set.of(ServiceState.Phase.PAUSED, ServiceState.Phase.FAILED, ServiceState.Phase.FENCED);

  @Override
  public Map<String, Until> clears() {
    Map<String, Until> clears = new HashMap<>();
    services
        .all()
        .forEach(service -> {
          ServiceState state = service.view().state();
          if (STANDING.contains(state.phase())) {
            clears.put(service.name(), new Until.Never("it is " + state));
          }
        });
    return clears;
  }
}
