/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import java.util.Arrays;
import java.util.Optional;

/** How the job calls the services for customers and addresses; the values of its parameter. */
enum Access {
  DIRECT_SQL("direct-sql"),
  INDIVIDUAL_REST("individual-rest"),
  CHUNKED_REST("chunked-rest"),
  CHUNKED_QUEUE("chunked-queue");

  static final String PARAMETER = "access";
  static final Access DEFAULT = CHUNKED_QUEUE;

  private final String word;

  Access(String word) {
    this.word = word;
  }

  String word() {
    return word;
  }

  static Optional<Access> of(String word) {
    return Arrays.stream(values()).filter(it -> it.word.equals(word)).findFirst();
  }
}
