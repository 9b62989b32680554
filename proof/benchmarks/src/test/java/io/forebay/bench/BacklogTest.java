/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.bench.Burst.Contents;
import io.forebay.bench.Contender.Effects;
import io.forebay.bench.Contender.Performing;
import io.forebay.jdbc.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("proof")
class BacklogTest {

  @TempDir private Path folder;

  @Test
  void writesDrainsAndChecksABacklogInProcessesOfTheirOwn() throws Exception {
    String line =
        "backlog --short --gigabytes 0.002 --only forebay-async,bare-append --out " + folder;

    assertThat(Main.run(List.of(line.split(" ")))).isZero();

    assertThat(folder.toFile().list()).containsExactly("backlog.json");
    assertThat(Files.readString(folder.resolve("backlog.json")))
        .containsSubsequence(
            "\"forebay-async\"",
            "\"accepted/s, last tenth\"",
            "\"drained/s, last tenth\"",
            "\"bare-append\"",
            "\"verdict\"",
            "\"gigabytes\" : \"0.002\"")
        .doesNotContain(folder.toString());
  }

  @Test
  void messagesHaveTheLengthOfTheArticle() throws Exception {
    assertThat(Burst.messageBytes(BacklogContender.sql())).isEqualTo(256);
    try (Performing bare = BacklogContender.BARE_APPEND.open(folder, null)) {
      Rounds figures = new BacklogTrial(bare).run(100, 70_000);
      assertThat(figures.names())
          .contains(BacklogTrial.ACCEPTED + BacklogTrial.LAST)
          .contains(BacklogTrial.DRAINED + BacklogTrial.LAST);
      assertThat(QueueBytes.used(bare.queues()) / 70_100.0).isBetween(256.0 - 4, 256.0 + 8);
    }
  }

  @Test
  void detectsADrainedMessageTooMany() {
    assertThatThrownBy(() -> new BacklogTrial(new Faulty()).run(1, 100))
        .hasMessageContaining("101 results with 101 rows and 0 failures were read");
  }

  @Test
  void detectsADuplicateRowInPlaceOfALostOne() throws Exception {
    Tally tally = new Tally();
    Burst burst = Burst.plain(0, 10);
    try (Forebay forebay = Forebay.onHsqldb(folder, Results.ALL)) {
      tally.expect(10);
      forebay.write(burst);
      while (tally.read() < 10) {
        forebay.pollResults(tally);
      }
      forebay.check(burst, tally);
      forebay
          .effects()
          .database()
          .execute(
              "update orders set (id, amount) = (select id, amount from orders where id = 4) where"
                  + " id = 3");
      assertThatThrownBy(() -> forebay.check(burst, tally))
          .hasMessageContaining("the tables contain Contents[rows=10, ids=46,")
          .hasMessageContaining("but the burst should leave Contents[rows=10, ids=45,");
    }
  }

  /** Drains a message more than was written. */
  private static final class Faulty implements Performing, Effects {

    private Contents contents = Contents.NONE;
    private long left;

    @Override
    public void write(Burst burst) {
      for (long number = burst.from(); number < burst.to(); number++) {
        contents = contents.with(number, burst.amount(number));
      }
      left += burst.count();
    }

    @Override
    public int pollResults(Tally tally) {
      if (left < 0 || left == 0 && contents.rows() < 100) {
        return 0;
      }
      left--;
      tally.updated(1);
      return 1;
    }

    @Override
    public Effects effects() {
      return this;
    }

    @Override
    public void clear() {
      contents = Contents.NONE;
    }

    @Override
    public Contents contents() {
      return contents;
    }

    @Override
    public String performingThread() {
      return Thread.currentThread().getName();
    }

    @Override
    public void hold(boolean held) {}

    @Override
    public List<Path> queues() {
      return List.of();
    }

    @Override
    public void close() {}
  }
}
