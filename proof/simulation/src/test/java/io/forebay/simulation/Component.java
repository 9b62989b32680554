/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.Machine;
import java.util.concurrent.CompletableFuture;

/** The component of a partition; it takes time, and some calls fail. */
final class Component implements Work {

  private final ServiceHistory history;
  private final Answers answers;
  private final Watch watch;
  private long stumbling;
  private int stumbled;

  /** A call is declined. */
  static final class Declined extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  Component(ServiceHistory history, int partition, Answers answers) {
    this.history = history;
    this.answers = answers;
    this.watch = new Watch(history, ServiceHistory.FIRST, partition);
  }

  private long perform(long number) {
    long turn = watch.performs(number);
    history.takesTime();
    return turn;
  }

  @Override
  public void note(long number) {
    answers.noted(number, perform(number));
    watch.done();
  }

  @Override
  public void twice(long number) {
    long turn = perform(number);
    answers.noted(number, turn);
    answers.noted(number, turn);
    watch.done();
  }

  @Override
  public void quiet(long number) {
    perform(number);
    watch.done();
  }

  @Override
  public CompletableFuture<Long> ask(long number) {
    CompletableFuture<Long> result = new CompletableFuture<>();
    long turn = perform(number);
    watch.done();
    if (history.world.chance(0.5)) {
      result.complete(turn);
    } else {
      Machine.thread("result")
          .start(() -> {
            Machine.park(history.world.shortTime(300_000_000));
            result.complete(turn);
          });
    }
    return result;
  }

  @Override
  public void fail(long number) {
    perform(number);
    throw new IllegalArgumentException("call " + number + " fails");
  }

  @Override
  public void stumble(long number) {
    long turn = perform(number);
    if (number != stumbling) {
      stumbling = number;
      stumbled = 0;
    }
    if (++stumbled < 3) {
      throw new IllegalStateException("call " + number + " stumbles");
    }
    answers.noted(number, turn);
    watch.done();
  }

  @Override
  public void decline(long number) {
    perform(number);
    throw new Declined();
  }
}
