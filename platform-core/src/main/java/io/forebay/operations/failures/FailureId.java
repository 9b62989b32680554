/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

/** Where a failed message was in its in-queue; as text, its id. */
public record FailureId(String service, int partition, long position, String queueId) {

  private static final String SEPARATOR = "~";

  /**
   * @throws IllegalArgumentException if the text is not an id
   */
  public static FailureId of(String id) {
    String[] parts = id.split(SEPARATOR, 4);
    if (parts.length == 4) {
      try {
        return new FailureId(
            parts[0], Integer.parseInt(parts[1]), Long.parseLong(parts[2]), parts[3]);
      } catch (NumberFormatException _) {
        // refused below
      }
    }
    throw new IllegalArgumentException(
        "not a valid id; use service~partition~position~queue, as returned by the list");
  }

  public String text() {
    return String.join(
        SEPARATOR, service, Integer.toString(partition), Long.toString(position), queueId);
  }
}
