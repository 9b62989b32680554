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
 * The events of a run: what the senders know, what is in the two queues, and what the database
 * contains, after everything was performed.
 */
record History(Sent sent, List<Accepted> accepted, List<Answer> answers, Contents contents) {

  /**
   * The senders' journal: each statement before it was sent, and whether it was accepted or
   * refused. A sender that was killed before it learned the outcome leaves the statement in doubt.
   */
  record Sent(
      List<Invocation> invocations, List<Acknowledgement> acknowledgements, Set<Long> refused) {}

  record Acknowledgement(long number, int attempt, Place place) {}

  /** A message of the in-queue, in queue order. */
  record Accepted(Place place, UUID id, long number) {}

  /**
   * A message of the out-queue, in queue order.
   *
   * @param source the position in the in-queue that it answers
   * @param outcome the outcome as text
   */
  record Answer(Place place, long source, UUID id, String outcome) {}

  /**
   * The contents of the tables.
   *
   * @param effects the number of rows for each statement number
   * @param lists the numbers in each list, in order
   * @param orders the number of orders for each statement number
   * @param lines the line numbers of each order, sorted
   * @param checked the numbers in the table with a failing check
   * @param progress the next position of each partition
   * @param failed the positions of the statements listed as failed
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
