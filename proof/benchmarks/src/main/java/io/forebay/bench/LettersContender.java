/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** Ways to write a letter for each contract. */
enum LettersContender {
  DIRECT_SQL(1),
  INDIVIDUAL_REST(1),
  CHUNKED_REST_10(10),
  CHUNKED_REST_100(100),
  CHUNKED_QUEUE_100(100),

  /** One list call to each service per step chunk, in the writer. */
  LIST_CALL_WRITER(LettersContender.STEP_CHUNK),

  /** The writer's calls in requests of 100, on as many connections as the collector uses. */
  LIST_CALL_WRITER_100(100),

  /** Spring Batch's own: each item on a virtual thread, with a request for each call. */
  ASYNC_ITEM_PROCESSOR(1),

  /** Spring Batch's own: workers write step chunks, with one list call to each service. */
  REMOTE_CHUNKING(LettersContender.STEP_CHUNK),

  /** The workers' calls in requests of 100, on as many connections as the collector uses. */
  REMOTE_CHUNKING_100(100),

  /** Virtual threads and the collector, without Spring Batch. */
  BARE_LOOP_100(100);

  /** How many letters are committed together. */
  static final int STEP_CHUNK = 5_000;

  private final int callChunk;

  LettersContender(int callChunk) {
    this.callChunk = callChunk;
  }

  /** The number of calls in a full request. */
  int callChunk() {
    return callChunk;
  }
}
