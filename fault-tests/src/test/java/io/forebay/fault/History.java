/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What happened in a run: what the senders know, what stands in the two queues, and what the
 * database holds, after all was performed.
 */
record History(Sent sent, List<Accepted> accepted, List<Answer> answers, Contents contents) {

  /**
   * What the senders noted: each statement before it was sent, and each of which they learned that
   * it was accepted or refused. A sender that was killed in between leaves a statement in doubt.
   */
  record Sent(
      List<Invocation> invocations, List<Acknowledgement> acknowledgements, Set<Long> refused) {}

  record Acknowledgement(long number, int attempt, Place place) {}

  /** A message of the in-queue, in the order of the queue. */
  record Accepted(Place place, UUID id, long number) {}

  /**
   * A message of the out-queue, in the order of the queue.
   *
   * @param source the position in the in-queue it answers
   * @param outcome what it says, in words
   */
  record Answer(Place place, long source, UUID id, String outcome) {}

  /**
   * The tables.
   *
   * @param effects how many rows there are of each number
   * @param lists the numbers of each list, in its order
   * @param orders how many rows there are of each number
   * @param lines the line numbers of each order, sorted
   * @param checked the numbers in the table whose check fails
   * @param progress the next position of each partition
   * @param failed where the statements stood that are kept as failed
   */
  record Contents(
      Map<Long, Integer> effects,
      Map<String, Tally> tallies,
      Map<String, List<Long>> lists,
      Map<Long, Integer> orders,
      Map<Long, List<Integer>> lines,
      List<Long> checked,
      Map<Integer, Long> progress,
      List<Place> failed,
      long deadLetters) {}

  /**
   * @param last the statement that changed it last
   */
  record Tally(long count, long last) {}
}
