/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** Ways to write a letter for each contract. */
enum LettersContender {
  DIRECT_SQL("direct-sql", "[42.035;46.669]"),
  INDIVIDUAL_REST("individual-rest", "[895.351;947.513]"),
  CHUNKED_REST_10("chunked-rest-10", "[131.459;138.640]"),
  CHUNKED_REST_20("chunked-rest-20", "[79.479;81.901]"),
  CHUNKED_REST_50("chunked-rest-50", "[47.366;50.475]"),
  CHUNKED_REST_100("chunked-rest-100", "[35.801;37.330]"),
  CHUNKED_REST_200("chunked-rest-200", "-"),
  /** With step chunks of 500 instead of 5,000. */
  CHUNKED_REST_100_STEP_500("chunked-rest-100-step-500", "-"),
  CHUNKED_QUEUE_100("chunked-queue-100", "-"),
  /** One list call to each service per step chunk, in the writer. */
  LIST_CALL_WRITER("list-call-writer", "-"),
  /** Spring Batch's own: each item on a virtual thread, with a request for each call. */
  ASYNC_ITEM_PROCESSOR("async-item-processor", "-"),
  /** Spring Batch's own: the step's threads process the items, with a request for each call. */
  CONCURRENT_STEP("concurrent-step", "-"),
  /** The writer's calls in requests of 100, on as many connections as the collector uses. */
  LIST_CALL_WRITER_100("list-call-writer-100", "-"),
  /** Spring Batch's own: workers write step chunks, with one list call to each service. */
  REMOTE_CHUNKING("remote-chunking", "-"),
  /** The workers' calls in requests of 100, on as many connections as the collector uses. */
  REMOTE_CHUNKING_100("remote-chunking-100", "-"),
  /** Virtual threads and the collector, without Spring Batch. */
  BARE_LOOP_100("bare-loop-100", "-");

  private final String title;
  private final String paper;

  LettersContender(String title, String paper) {
    this.title = title;
    this.paper = paper;
  }

  String title() {
    return title;
  }

  /**
   * The 99 % confidence interval of the seconds in table 1 of Knoche's paper, on a Raspberry Pi 4.
   */
  String paper() {
    return paper;
  }

  /** The middle of that interval; empty if the paper has no such contender. */
  OptionalDouble paperMean() {
    return Arrays.stream(paper.replaceAll("[\\[\\]-]", "").split(";"))
        .filter(it -> !it.isEmpty())
        .mapToDouble(Double::parseDouble)
        .average();
  }

  /** The number of calls in a full request. */
  int callChunk() {
    return switch (this) {
      case INDIVIDUAL_REST, ASYNC_ITEM_PROCESSOR, CONCURRENT_STEP -> 1;
      case LIST_CALL_WRITER, REMOTE_CHUNKING -> stepChunk();
      case CHUNKED_REST_10 -> 10;
      case CHUNKED_REST_20 -> 20;
      case CHUNKED_REST_50 -> 50;
      case CHUNKED_REST_200 -> 200;
      default -> 100;
    };
  }

  int stepChunk() {
    return this == CHUNKED_REST_100_STEP_500 ? 500 : 5_000;
  }

  /**
   * @throws UsageError if there is no contender with this name
   */
  static LettersContender named(String name) {
    List<LettersContender> all = List.of(values());
    return Arrays.stream(values())
        .filter(it -> it.title.equals(name))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                "contender '%s' does not exist (known: %s)"
                    .formatted(name, all.stream().map(LettersContender::title).toList())));
  }
}
