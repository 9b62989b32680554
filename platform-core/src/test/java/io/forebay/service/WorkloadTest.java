/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.machine.Machine;
import org.junit.jupiter.api.Test;

class WorkloadTest {

  private static final long A_MOMENT = 2_000_000;

  private final Workload workload = new Workload();

  private static void pass(long from) {
    while (Machine.nanos() - from < A_MOMENT) {
      Thread.onSpinWait();
    }
  }

  private static long since(long from) {
    return Machine.nanos() - from;
  }

  @Test
  void timeCountsWhileThereIsWork() {
    assertThat(workload.end()).isFalse();
    assertThat(workload.workedNanos()).isZero();
    long first = Machine.nanos();
    workload.begin();
    long begun = Machine.nanos();
    pass(begun);
    workload.begin(); // has no effect
    assertThat(workload.workedNanos()).isBetween(A_MOMENT, since(first));
    assertThat(workload.inHand().toNanos()).isBetween(A_MOMENT, since(first));

    assertThat(workload.end()).isTrue();
    long kept = workload.workedNanos();
    assertThat(kept).isBetween(A_MOMENT, since(first));
    pass(Machine.nanos());
    assertThat(workload.end()).isFalse();
    assertThat(workload.workedNanos()).isEqualTo(kept);
    assertThat(workload.inHand()).isZero();

    long second = Machine.nanos();
    workload.begin();
    begun = Machine.nanos();
    pass(begun);
    assertThat(workload.inHand().toNanos()).isBetween(A_MOMENT, since(second));
    assertThat(workload.workedNanos()).isBetween(kept + A_MOMENT, kept + since(second));
    assertThat(workload.end()).isTrue();
    assertThat(workload.workedNanos()).isBetween(kept + A_MOMENT, kept + since(second));
  }

  @Test
  void itKnowsWhenTheMessageInHandWasAccepted() {
    assertThat(workload.acceptedMicros(7)).isEmpty();
    workload.head(7, 1_234);
    assertThat(workload.acceptedMicros(7)).hasValue(1_234);
    assertThat(workload.acceptedMicros(8)).isEmpty();
  }
}
