/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChildProcessTest {

  /** Prints its arguments, one to each stream, and ends or does not. */
  static final class Printing {
    public static void main(String[] arguments) throws Exception {
      System.out.println(arguments[0]);
      System.err.println(arguments[1]);
      if (arguments.length > 2) {
        System.exit(Integer.parseInt(arguments[2]));
      }
      System.out.println("answer " + new String(System.in.readNBytes(2)).strip());
      Thread.currentThread().join();
    }
  }

  @Test
  void anEarlyEndFailsTheWaitWithStatusAndOutput() {
    try (ChildProcess child = ChildProcess.start(Printing.class, "one", "two", 7)) {
      assertThatThrownBy(() -> child.await("ready"))
          .isInstanceOf(AssertionError.class)
          .hasMessageContainingAll("status 7", "one\n", "two\n", Printing.class.getName() + " one");
      assertThat(child.lines()).containsExactly("one");
      assertThat(child.errors()).containsExactly("two");
      assertThatThrownBy(child::kill).hasMessageContainingAll("status 7", "one\n", "two\n");
      assertThatThrownBy(() -> child.awaitEnd(0)).hasMessageContaining("7 instead of 0");
    }
  }

  @Test
  void aTimeOutFailsTheWaitWithOutputAndThreads() {
    try (ChildProcess child = ChildProcess.start(Printing.class, "one", "two")) {
      assertThat(child.await("o")).isEqualTo("one");
      assertThat(child.ask("x", line -> line.startsWith("answer"))).isEqualTo("answer x");
      child.within(Duration.ofMillis(100));
      assertThatThrownBy(() -> child.await("ready"))
          .hasMessageContainingAll("PT0.1S", "one\n", "\"main\" #");
      assertThat(child.endsWithin(Duration.ofMillis(1))).isFalse();
      child.within(ChildProcess.PATIENCE);
      child.suspend();
      child.resume();
      child.kill();
      child.awaitEnd(137);
    }
  }

  @Test
  void nothingIsLeftWhenItIsClosed() {
    ProcessHandle grandchild;
    try (ChildProcess shell =
        ChildProcess.start(new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; wait"))) {
      shell.until(() -> !shell.lines().isEmpty());
      grandchild = ProcessHandle.of(Long.parseLong(shell.lines().getFirst())).orElseThrow();
    }
    grandchild.onExit().join();
    assertThat(ChildProcess.tryRun("sh", "-c", "exit 1")).isEmpty();
    assertThat(ChildProcess.tryRun("no such command")).isEmpty();
    assertThat(ChildProcess.run("echo", "a\nb")).isEqualTo("a\nb");
  }
}
