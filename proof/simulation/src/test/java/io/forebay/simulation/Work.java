/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Protocol;
import java.util.concurrent.CompletableFuture;

/** The calls of the simulated own service; each is a {@link CallKind}. */
interface Work {

  Protocol<Work> PROTOCOL = Protocol.of(Work.class);

  void note(long number);

  void twice(long number);

  void quiet(long number);

  CompletableFuture<Long> ask(long number);

  void fail(long number);

  void stumble(long number);

  void decline(long number);

  /** What the service answers. */
  interface Answers {

    Protocol<Answers> PROTOCOL = Protocol.of(Answers.class);

    /**
     * @param turn identifies the performance, so that a second one shows
     */
    void noted(long number, long turn);
  }
}
