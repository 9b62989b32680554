/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.lane;

import java.util.Set;

/**
 * A lane of a gateway. It performs the gateway's statements on the gateway's database, but has
 * queues of its own, so that what waits in one lane delays nothing in another. Immutable.
 *
 * @param gateway the name of the gateway
 * @param name unique within the gateway
 * @param callers whose statements it receives
 */
public record Lane(String gateway, String name, Set<String> callers) {

  public Lane {
    callers = Set.copyOf(callers);
  }

  /** The name of its service, and of its queues, metrics and rows in the ledger. */
  public String service() {
    return service(gateway, name);
  }

  /** The name of the service of a lane. */
  public static String service(String gateway, String lane) {
    return gateway + "-" + lane;
  }
}
