/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.List;

/**
 * The figures of a collector, all of the same moment.
 *
 * @param live the bodies that have started and not ended, plus the calls of other threads
 * @param waiting how many of these wait in a call
 * @param services in the order in which they were added; unmodifiable
 */
public record CollectorFigures(int live, int waiting, List<ServiceFigures> services) {

  /**
   * The figures of a service.
   *
   * @throws IllegalArgumentException if the collector has no service of this name
   */
  public ServiceFigures service(String name) {
    return services.stream()
        .filter(it -> it.service().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "service %s does not exist (known: %s)"
                    .formatted(name, services.stream().map(ServiceFigures::service).toList())));
  }
}
