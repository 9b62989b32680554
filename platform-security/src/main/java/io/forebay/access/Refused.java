/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.web.Problem;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.AuthenticationException;

/** Refuses credentials, or does not check them now, for the reason in its cause, a problem. */
public final class Refused extends AuthenticationException {

  private static final long serialVersionUID = 1;

  private final transient @Nullable Admitted caller;

  public Refused(Problem problem) {
    this(problem, null);
  }

  /**
   * @param caller whom the credentials identify; null if nobody
   */
  public Refused(Problem problem, @Nullable Admitted caller) {
    super(problem.detail(), problem);
    this.caller = caller;
  }

  public Problem problem() {
    return (Problem) Objects.requireNonNull(getCause());
  }

  public @Nullable Admitted caller() {
    return caller;
  }
}
