/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.util.List;
import java.util.stream.Stream;

/** The places at which the service can be made to die. */
final class CrashPoints {

  static final List<String> ALL =
      List.of(
          "after-claim",
          "after-lock",
          "after-effects",
          "before-commit",
          "after-commit",
          "before-answers",
          "between-answers",
          "after-answers");

  /** Includes those in a transaction on the out-topic. */
  static final List<String> ON_KAFKA =
      Stream.concat(ALL.stream(), Stream.of("before-publish", "after-publish")).toList();

  /** Of services without a gateway, where {@code DeadLetterKillTest} kills the process. */
  static final List<String> OF_OWN_SERVICES = List.of("after-dead-letter");

  /** Of rings before queue files, where {@code RingKillTest} kills the process. */
  static final List<String> OF_RINGS =
      List.of(
          "ring-before-note",
          "ring-before-tail",
          "ring-after-tail",
          "ring-before-head",
          "ring-after-head",
          "ring-recovered",
          "ring-drained",
          "ring-without-note");

  /** Of schedules, where {@code SchedulesTest} kills the process. */
  static final List<String> OF_SCHEDULES = List.of("after-scheduled-start");

  /** Of the relay of an outbox, where {@code OutboxKillTest} kills the process. */
  static final List<String> OF_OUTBOXES = List.of("outbox.accepted", "outbox.deleted");

  static final List<String> IN_ALL_SOURCES =
      Stream.of(ON_KAFKA, OF_OWN_SERVICES, OF_RINGS, OF_SCHEDULES, OF_OUTBOXES)
          .flatMap(List::stream)
          .toList();

  private CrashPoints() {}

  /** At least how often a process reaches this place in its first seconds. */
  static int often(String point) {
    return switch (point) {
      case "after-claim" -> ServiceArguments.PARTITIONS;
      case "between-answers" -> 500;
      default -> 40;
    };
  }
}
