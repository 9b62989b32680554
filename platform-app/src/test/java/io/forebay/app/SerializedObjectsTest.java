/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ChildProcess;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs in a separate process, since the filter of a JVM can be set only once. */
class SerializedObjectsTest {

  @TempDir Path data;

  /** Starts the service, which must respond, and then tries to read an object. */
  static final class Probe {

    private Probe() {}

    public static void main(String[] args) throws Exception {
      Forebay.main(args);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(new ArrayList<>(List.of("a")));
      }
      try (ObjectInputStream in =
          new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
        System.out.println("read " + in.readObject());
      } catch (InvalidClassException e) {
        System.out.println("refused: " + e.getMessage());
      }
      System.exit(0);
    }
  }

  private String probe(String... options) {
    String output =
        ChildProcess.run(
            ChildProcess.java(
                ChildProcess.options(options),
                Probe.class,
                "--server.port=0",
                "--forebay.backend=memory",
                "--forebay.data=" + data));
    assertThat(output).contains("Forebay is ready");
    return output;
  }

  @Test
  void areRefused() {
    assertThat(probe()).contains("refused: filter status: REJECTED").doesNotContain("read [a]");
  }

  @Tag("proof")
  @Test
  void areReadIfTheUserHasSetAFilter() {
    assertThat(probe("-Djdk.serialFilter=java.base/*;!*")).contains("read [a]");
  }
}
