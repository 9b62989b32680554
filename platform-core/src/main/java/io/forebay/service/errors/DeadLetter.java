/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.CallFailure;
import io.forebay.call.value.UndecodableReason;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that a service gave up.
 *
 * @param queueId the identity of its in-queue
 * @param messageId null if it could not be read
 * @param error as in {@link io.forebay.call.CallFailure}
 * @param text as in {@link io.forebay.call.CallFailure}
 * @param tries how often it was performed
 * @param replayOf the id of the message that it repeated, or null
 * @param bytes the size of the message
 */
public record DeadLetter(
    String queueId,
    int partition,
    long position,
    @Nullable UUID messageId,
    String error,
    String text,
    int tries,
    @Nullable UUID replayOf,
    long bytes) {

  /**
   * Whether the error is that of a message which cannot be decoded: to replay it to the same
   * version of the service is in vain.
   *
   * @param error that of a dead letter, here or in the database of a gateway
   */
  public static boolean isUndecodable(String error) {
    return error.equals(CallFailure.UNDECODABLE)
        || Arrays.stream(UndecodableReason.values()).anyMatch(it -> it.name().equals(error));
  }
}
