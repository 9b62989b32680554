/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

import java.security.Principal;

/**
 * Who may call which service over HTTP; where there is no bean of this type, there is no endpoint.
 * Asked for each request: it must be fast. Thread-safe.
 */
@FunctionalInterface
public interface ChunkGrants {

  /**
   * @param caller as the servlet request names him
   * @param service the name of a service, which there may not be
   */
  boolean mayCall(Principal caller, String service);
}
