/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.failures.DeadLetters;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists and replays dead letters: {@code GET /actuator/deadletters}, {@code POST
 * /actuator/deadletters/{id}}. For applications without the admin API.
 */
@Endpoint(id = "deadletters")
final class DeadLettersEndpoint {

  private static final int LIMIT = 100;

  private final DeadLetters letters;

  DeadLettersEndpoint(DeadLetters letters) {
    this.letters = letters;
  }

  @ReadOperation
  Failures.Page list(@Nullable String service, @Nullable String before) {
    return letters.list(service, before, LIMIT);
  }

  @ReadOperation
  @Nullable Failure one(@Selector String id) {
    return letters.find(id).orElse(null);
  }

  @WriteOperation
  @Nullable Failure replay(@Selector String id) {
    return letters.replay(id, "actuator").orElse(null);
  }
}
