/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.queue.QueueRefused;
import io.forebay.service.Unavailable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were not performed, the latest first, and their sending again. Thread-safe.
 *
 * <p>Everything here throws {@link Unavailable} if the database does not answer.
 */
public interface Failures {

  /** How many of a service are counted at most. */
  int MAX_COUNTED = 10_000;

  /** How many one page holds at most. */
  int MAX_LIMIT = 500;

  /**
   * One page.
   *
   * @param service only those of that service; null for all
   * @param before only those behind this place, a {@link Page#next()}; null for the first page
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   * @throws IllegalArgumentException if {@code before} is not what a page gave, or the limit is not
   *     allowed
   */
  default Page list(@Nullable String service, @Nullable String before, int limit) {
    return page(new Filter(service, null, false), before, limit);
  }

  /** One page of those that pass a filter; else as {@link #list(String, String, int)}. */
  Page page(Filter filter, @Nullable String before, int limit);

  /**
   * Those that wait to be sent again, by service and error. At most {@link #MAX_COUNTED} of a
   * service are counted, the latest.
   *
   * @param service only those of that service; null for all
   * @param from only those that failed since
   */
  List<Group> groups(@Nullable String service, Instant from);

  Optional<Failure> find(String id);

  /**
   * Sends the message again: a new message with an id of its own, the same calls and the same
   * idempotency key, in the same partition. A message that carried none gets one that is made of
   * where it stood, so it takes effect once, however often it is sent again. When this returns, the
   * new message is accepted. If the process dies meanwhile it may be accepted though not shown as
   * sent again; sending it once more is safe.
   *
   * @param by who has it sent
   * @return what is known of it now; empty if there is no such message
   * @throws ReplayRefused if it took effect already, or cannot be understood now either
   * @throws QueueRefused if the queue does not take it
   */
  Optional<Failure> replay(String id, String by);

  /**
   * Which failures.
   *
   * @param service null for all
   * @param error see {@link Group#error()}; null for all
   * @param waiting whether only those that were not sent again
   */
  record Filter(@Nullable String service, @Nullable String error, boolean waiting) {}

  /**
   * Failures of one sort.
   *
   * @param error the SQLState of the database, or the sort of the failure where it has none
   * @param text of one of them, in words of our own, without values
   * @param count how many wait to be sent again
   * @param capped whether there are more
   * @param replayed how many beside these were sent again
   */
  record Group(
      String service,
      String error,
      String text,
      long count,
      boolean capped,
      long replayed,
      Instant first,
      Instant last) {}

  /**
   * @param next where the next page begins; null if there is none
   */
  record Page(List<Failure> failures, @Nullable String next) {

    public Page {
      failures = List.copyOf(failures);
    }
  }
}
