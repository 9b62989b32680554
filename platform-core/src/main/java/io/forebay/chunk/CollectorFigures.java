/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.List;

/**
 * A collector at one moment. All figures are of the same moment.
 *
 * @param live the bodies that were started and have not ended, and the calls of other threads
 * @param waiting those of them that wait in a call
 * @param services in the order in which they were added; unmodifiable
 */
public record CollectorFigures(int live, int waiting, List<ServiceFigures> services) {

  /**
   * The figures of a service.
   *
   * @throws IllegalArgumentException if the collector has none of this name
   */
  public ServiceFigures service(String name) {
    return services.stream()
        .filter(it -> it.service().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no service %s; there are %s"
                    .formatted(name, services.stream().map(ServiceFigures::service).toList())));
  }
}
