/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The failed messages of one service, where it keeps them. {@link Failures} has what is alike at
 * every service. Thread-safe; every method throws {@link io.forebay.service.progress.Unavailable}
 * if the place does not respond.
 */
public interface ServiceFailures {

  String service();

  /**
   * The newest messages that the filter selects.
   *
   * @param filter without its service, which is this one
   * @param before only messages that come after this one on pages; null for all
   * @param limit how many are wanted; more may be returned
   */
  List<Failure> list(Failures.Filter filter, @Nullable FailureCursor before, int limit);

  /** See {@link Failures#groups(String, Instant, Failure.State)}. */
  List<Failures.Group> groups(Instant from, Failure.State state);

  /** See {@link Failures#count}. */
  long count(Failure.State state, int atMost);

  Optional<Failure> find(FailureId id);

  /** See {@link Failures#values}. */
  Optional<FailureValues> values(FailureId id);

  /** See {@link Failures#message}. */
  Optional<byte[]> message(FailureId id);

  /**
   * Sends a message again, unless it was discarded.
   *
   * @return the id of the new message; empty if there is no such message
   * @throws DecisionRefused if it must not be sent again
   */
  Optional<UUID> replay(FailureId id, String by);

  /**
   * Decides about messages whose state allows it.
   *
   * @return about how many
   */
  int decide(List<FailureId> ids, Failure.State to, String by, String reason);
}
