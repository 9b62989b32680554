/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.forebay.queue.Level;
import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Missing JVM options of Chronicle are reported in one sentence, and Chronicle is kept quiet. */
final class JvmOptionsTest {

  @TempDir Path directory;

  /** Opens a queue, writes to it, and reports errors. */
  static final class Opening {
    public static void main(String[] arguments) {
      try (ChronicleBackend backend =
          ChronicleBackend.open(Path.of(arguments[0]), Rig.options(Level.DISK))) {
        Rig.send(backend.open("orders.in", 1), 0, 10);
        System.out.println("works");
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void aJvmWithoutTheOptionsPrintsTheMissingOnesAndNothingElse() throws Exception {
    try (ChildProcess child =
        ChildProcess.start(
            ChildProcess.java(
                List.of("--add-opens=java.base/java.lang=ALL-UNNAMED"),
                Opening.class,
                directory.resolve("data")))) {
      child.awaitEnd();
      assertThat(child.output().lines())
          .singleElement()
          .asString()
          .contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED")
          .contains("--add-opens=java.base/java.lang.reflect=ALL-UNNAMED")
          .doesNotContain("--add-opens=java.base/java.lang=ALL-UNNAMED");
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void aJvmWithTheOptionsPrintsNothingAndSendsNoAnalytics() throws Exception {
    Path home = Files.createDirectory(directory.resolve("home"));
    assertThat(
            ChildProcess.run(
                ChildProcess.java(
                    ChildProcess.options("-Duser.home=" + home),
                    Opening.class,
                    directory.resolve("data"))))
        .isEqualTo("works");
    try (Stream<Path> left = Files.walk(home)) {
      assertThat(left.filter(Files::isRegularFile)).isEmpty();
    }
  }

  @Test
  void theAnalyticsClassesAreNotOnTheClassPath() {
    assertThatExceptionOfType(ClassNotFoundException.class)
        .isThrownBy(() -> Class.forName("net.openhft.chronicle.analytics.Analytics"));
  }
}
