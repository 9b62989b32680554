/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          surge                                     | unknown benchmark 'surge'
          burst --out ignored --frob                | unknown option '--frob'
          burst --short                             | option --out is missing
          burst --out ignored --only someone        | contender 'someone' does not exist
          sink --short                              | option --out is missing
          sink --out ignored --only someone         | contender 'someone' does not exist
          sink --out ignored --rows none            | option --rows needs a whole number from 1 on
          ingest --short                            | option --out is missing
          ingest --out ignored --only someone       | contender 'someone' does not exist
          pinned --short                            | option --out is missing
          pinned --out ignored --only someone       | contender 'someone' does not exist
          queues --short                            | option --out is missing
          queues --out ignored --jobs 0             | option --jobs needs a whole number from 1 on
          outbox --short                            | option --out is missing
          outbox --out ignored --rows 0             | option --rows needs a whole number from 1 on
          start --short                             | option --out is missing
          tail --short                              | option --out is missing
          tail --out ignored --only someone         | contender 'someone' does not exist
          pipeline --out ignored --seconds 0        | option --seconds needs a number above 0
          backlog --short                           | option --out is missing
          backlog --out ignored --only someone      | contender 'someone' does not exist
          backlog --out ignored --gigabytes many    | option --gigabytes needs a number above 0
          backlog --out target --gigabytes 1e9      | a backlog of 1000000000.0 GB needs
          jmh --short                               | option --out is missing
          jmh --out ignored --only someone          | contender 'someone' does not exist
          ingest --out ignored --server nowhere.jar | the product's jar is not at nowhere.jar
          """)
  void answersInvalidCommandsWithTheUsageAndStatus2(String line, String complaint) {
    PrintStream before = System.err;
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    System.setErr(new PrintStream(errors, true));
    try {
      assertThat(Main.run(List.of(line.split(" ")))).isEqualTo(2);
    } finally {
      System.setErr(before);
    }
    assertThat(errors.toString()).contains(complaint).contains("usage: java -jar benchmarks.jar");
    assertThat(Path.of("ignored")).doesNotExist();
  }

  @Tag("proof")
  @Test
  void measuresQueuesInOneDatabase(@TempDir Path folder) throws Exception {
    String line = "queues --short --only forebay,db-scheduler --out " + folder;

    assertThat(Main.run(List.of(line.split(" ")))).isZero();

    assertThat(Files.readString(folder.resolve("queues.json")))
        .containsSubsequence(
            "\"forebay\"", "\"jobs/s\"", "\"WAL bytes\"", "\"dead tuples\"", "\"db-scheduler\"");
  }

  @Tag("proof")
  @Test
  void measuresOutboxesInProcessesOfTheirOwn(@TempDir Path folder) throws Exception {
    String line = "outbox --short --out " + folder;

    assertThat(Main.run(List.of(line.split(" ")))).isZero();

    assertThat(Files.readString(folder.resolve("outbox.json")))
        .containsSubsequence(
            "\"forebay\"",
            "\"written/s\"",
            "\"handed over/s\"",
            "\"handed over: WAL bytes\"",
            "\"modulith\"",
            "\"handed over/s\"",
            "\"namastack\"",
            "\"handed over/s\"");
  }

  @Tag("proof")
  @Test
  void measuresContendersInProcessesOfTheirOwnAndLeavesOnlyTheFigures(@TempDir Path folder)
      throws Exception {
    String line =
        "burst --short --fail 10 --statements 200 --only bare-append-same-bytes,forebay-postgresql"
            + " --out "
            + folder;

    assertThat(Main.run(List.of(line.split(" ")))).isZero();

    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("burst.json");
    assertThat(Files.readString(folder.resolve("burst.json")))
        .containsSubsequence(
            "\"bare-append-same-bytes\"",
            "\"write µs\"",
            "\"forebay-postgresql\"",
            "\"perform µs\"",
            "\"median\"",
            "\"forebay-postgresql-fail\"",
            "\"perform µs\"",
            "\"verdict\"",
            "\"machine\"",
            "\"fsync\" : \"on\"",
            "\"synchronous_commit\" : \"on\"",
            "\"short\"")
        .doesNotContain(folder.toString());
  }
}
