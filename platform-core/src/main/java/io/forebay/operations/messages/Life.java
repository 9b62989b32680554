/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of a message, as far as its queues and the services of this process show it. A
 * message of a pipeline has a stage for each service that it has reached.
 *
 * @param stages in the order in which the message passes them; empty if no service of this process
 *     reads the queue
 */
public record Life(List<Stage> stages) {

  public Life {
    stages = List.copyOf(stages);
  }

  /** What a service has done with a message. */
  public enum State {
    /** It is behind others, or its service does not run. */
    WAITING,
    /** It is the first one that is not performed and answered: it is performed now, or next. */
    NEXT,
    /** Its service tries to perform it again and again. */
    RETRIED,
    PERFORMED,
    /** The component declined the call as a normal outcome. */
    DECLINED,
    /** Nothing of it took effect, unless the error says that this is unknown. */
    FAILED,
    /** It was not performed, because its time to be performed was over. */
    EXPIRED,
    /** It was not performed, because its sender cancelled it. */
    CANCELLED,
    /** It was performed or failed, but its answer is not in the out-queue any more. */
    ANSWERED,
    /** The service does not know its position. */
    UNKNOWN
  }

  /**
   * A message at one service. Times are by the clocks of the processes that wrote them, so a later
   * one may be smaller; a time that is not known is null.
   *
   * @param position of the message in the in-queue of the service
   * @param state what the service has done
   * @param reason why it waits, is tried again or is unknown, without values; or null
   * @param error of the answer: SQL state and kind, or a class name; or null
   * @param rows how many rows it changed or returned; null if it is no statement, or unknown
   * @param ahead an upper bound of the messages before it; null unless it waits
   * @param deliverBy after which it is not performed any more, or null
   * @param appended when it was appended; null if it was deleted and its answer does not say
   * @param read when the service read it, at the first try; null if its history is not recorded
   * @param performed when the transaction was committed or the component had returned; null if its
   *     history is not recorded
   * @param answered when its answer was appended; null without an answer
   * @param waitingMicros from appended to read
   * @param performingMicros from read to performed
   * @param answeringMicros from performed to answered
   * @param totalMicros from appended to answered
   * @param answers the out-queue of the service
   * @param answer the position of its answer in the partition of the same number, or null
   */
  public record Stage(
      String service,
      String queue,
      int partition,
      long position,
      State state,
      @Nullable String reason,
      @Nullable String error,
      @Nullable Long rows,
      @Nullable Long ahead,
      @Nullable Instant deliverBy,
      @Nullable Instant appended,
      @Nullable Instant read,
      @Nullable Instant performed,
      @Nullable Instant answered,
      @Nullable Long waitingMicros,
      @Nullable Long performingMicros,
      @Nullable Long answeringMicros,
      @Nullable Long totalMicros,
      String answers,
      @Nullable Long answer) {}
}
