/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.races;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Without Fray's agents all other tests of this module would pass, because nothing is explored. */
class FrayTest {

  /** Two threads add one each; the volatile field does not make that atomic. */
  static final class LostUpdate implements Scenario {

    private volatile int count;

    @Override
    public void run() throws InterruptedException {
      Thread other = Thread.ofPlatform().start(() -> count = count + 1);
      count = count + 1;
      other.join();
      Races.check(count == 2, "an update is lost");
    }
  }

  /** Two threads take two locks in opposite order. */
  static final class Deadlock implements Scenario {

    private final Object one = new Object();
    private final Object two = new Object();

    @Override
    public void run() throws InterruptedException {
      Thread other =
          Thread.ofVirtual()
              .start(() -> {
                synchronized (two) {
                  synchronized (one) {
                    one.notifyAll();
                  }
                }
              });
      synchronized (one) {
        synchronized (two) {
          two.notifyAll();
        }
      }
      other.join();
    }
  }

  @Test
  void findsALostUpdateThatAMachineRarelyShows() {
    assertThatThrownBy(() -> Races.explore(LostUpdate.class, 200))
        .hasMessageContaining("an update is lost");
  }

  @Test
  void findsADeadlockOfVirtualThreads() {
    assertThatThrownBy(() -> Races.explore(Deadlock.class, 200))
        .hasMessageContaining("DeadlockException");
  }

  /** Otherwise a test would take a renamed method for a race that it found. */
  @Test
  void aRaceThatCannotBePlantedIsNotFound() {
    Mutation nothing = Mutation.notSynchronized(FrayTest.class, "nonsense");
    assertThatThrownBy(() -> Races.find(LostUpdate.class, 1, nothing))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("nonsense has nothing to change");
  }

  @Test
  void theClassesOfTheJdkAreThoseWithFraysCalls() {
    assertThat(org.pastalab.fray.runtime.Runtime.class.getModule())
        .isEqualTo(Object.class.getModule());
  }
}
