/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * The principal of a request whose rights may end while its answer is sent, such as the owner of a
 * token that is deleted. Principals of an application need not implement it. Thread-safe.
 */
public interface KnownCaller extends Principal {

  /** What its name is the name of. */
  Actor.Kind kind();

  /**
   * Whether the caller would still be admitted with the same rights. Never waits: it may be asked
   * for each message that is sent.
   */
  boolean isStillAdmitted();

  /** The same of any principal; true if it does not say. */
  static boolean isStillAdmitted(@Nullable Principal caller) {
    return !(caller instanceof KnownCaller known) || known.isStillAdmitted();
  }
}
