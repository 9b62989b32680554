/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import java.security.Principal;

/**
 * Decides who may call which service over HTTP. Without a bean of this type there is no endpoint.
 * It is called for each request, so it must be fast. Thread-safe.
 */
@FunctionalInterface
public interface ChunkGrants {

  /**
   * @param caller the user principal of the servlet request
   * @param service the name of a service, which may not exist
   */
  boolean mayCall(Principal caller, String service);
}
