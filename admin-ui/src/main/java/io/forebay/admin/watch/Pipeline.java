/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.operations.ServiceOperations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A chain of services in which each one performs the answers of the one before. A service has at
 * most one next stage and one before, so no chain forks.
 *
 * @param stages in their order; the first one is called
 * @param answers the queue with the answers of the last stage
 */
record Pipeline(List<Stage> stages, String answers) {

  /**
   * @param queue its in-queue
   */
  record Stage(String service, String queue) {}

  /** All chains, in the order of the names of their first stages. */
  static List<Pipeline> of(Collection<ServiceOperations> services) {
    Map<String, ServiceOperations> next = new HashMap<>();
    for (ServiceOperations service : services) {
      service.stageBefore().ifPresent(before -> next.put(before, service));
    }
    return services.stream()
        .filter(it -> it.stageBefore().isEmpty() && next.containsKey(it.name()))
        .map(it -> beginningWith(it, next))
        .toList();
  }

  private static Pipeline beginningWith(
      ServiceOperations first, Map<String, ServiceOperations> next) {
    List<Stage> stages = new ArrayList<>();
    ServiceOperations last = first;
    for (ServiceOperations stage = first; stage != null; stage = next.get(stage.name())) {
      stages.add(new Stage(stage.name(), stage.queues().getFirst()));
      last = stage;
    }
    return new Pipeline(stages, last.queues().getLast());
  }
}
