/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.queue.QueueRefused;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
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

  /** Finds messages; those that are missing have no element. */
  List<Failure> find(List<FailureId> ids);

  default Optional<Failure> find(FailureId id) {
    return find(List.of(id)).stream().findFirst();
  }

  /** See {@link Failures#values}. */
  Optional<FailureValues> values(FailureId id);

  /** See {@link Failures#message}. */
  Optional<byte[]> message(FailureId id);

  /**
   * A message that was to be sent again.
   *
   * @param as the id of the new message; null if none is known to be in the queue
   * @param failure {@link DecisionRefused} if it must not be sent, {@link QueueRefused} if it was
   *     not, another if it is unknown whether it was, or that was not recorded; else null
   */
  record Replayed(FailureId id, @Nullable UUID as, @Nullable RuntimeException failure) {

    boolean isUnknown() {
      return failure != null
          && !(failure instanceof DecisionRefused)
          && !(failure instanceof QueueRefused);
    }
  }

  /**
   * Sends messages again, in this order. Ends after the first that the queue does not accept.
   *
   * @param wanted of those that are there, whether to send them; one that must not be sent is
   *     refused nevertheless
   * @return the wanted ones
   * @throws DecisionRefused if nothing can be sent to the service
   * @throws io.forebay.service.progress.Unavailable if nothing was sent
   */
  List<Replayed> replay(List<FailureId> ids, Predicate<Failure> wanted, String by);

  /**
   * Decides about messages whose state allows it.
   *
   * @return about how many
   */
  int decide(List<FailureId> ids, Failure.State to, String by, String reason);
}
