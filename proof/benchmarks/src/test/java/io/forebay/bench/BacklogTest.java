/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.bench.BacklogContender.Way;
import io.forebay.bench.Contender.Place;
import io.forebay.chronicle.ChronicleBackend.Writing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@Tag("proof")
class BacklogTest {

  @TempDir private Path folder;

  @Test
  void writesDrainsAndChecksABacklogInProcessesOfTheirOwn() throws Exception {
    String line =
        "backlog --short --gigabytes 0.002 --only forebay-async,bare-append --out " + folder;

    assertThat(Main.run(List.of(line.split(" ")))).isZero();

    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("backlog.json", "backlog.svg");
    assertThat(Files.readString(folder.resolve("backlog.json")))
        .containsSubsequence(
            "\"name\": \"forebay-async\"",
            "\"acceptedPerSecondInLastTenth\": {",
            "\"drainedPerSecondInLastTenth\": {",
            "\"name\": \"bare-append\"",
            "\"slices\": {",
            "\"verdict\": \"",
            "\"messages\": 7813",
            "\"messageBytes\": 256")
        .doesNotContain(folder.toString());
    assertThat(Files.readString(folder.resolve("backlog.svg")))
        .contains(">forebay-async</text>", ">bare-append</text>");
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"FOREBAY_DIRECT", "FOREBAY_ASYNC"})
  void messagesHaveTheLengthOfTheArticle(BacklogContender contender) throws Exception {
    Map<String, List<Map<String, Double>>> reports = new HashMap<>();
    try (Way way = contender.open(folder, null)) {
      new BacklogTrial(
              way,
              4,
              (kind, figures) -> reports.computeIfAbsent(kind, _ -> new ArrayList<>()).add(figures))
          .run(100, 70_000);
    }
    assertThat(reports.get(BacklogTrial.WRITTEN)).hasSize(4);
    assertThat(reports.get(BacklogTrial.DRAINED)).hasSize(4);
    double result = contender.performs() ? 80 : 0;
    assertThat(reports.get(BacklogTrial.CHECKED).getFirst().get(BacklogTrial.BYTES))
        .isBetween(256 + result - 4, 256 + result + 8);
  }

  @Test
  void detectsADrainedMessageTooMany() {
    assertThatThrownBy(() -> new BacklogTrial(new Faulty(1), 2, (_, _) -> {}).run(1, 100))
        .hasMessage("100 messages were written, but 101 were drained");
  }

  @Test
  void detectsADuplicateRowInPlaceOfALostOne() throws Exception {
    Forebay forebay = Forebay.onHsqldb(Place.forBacklog(folder, null, Writing.DIRECT));
    Burst burst = Burst.plain(0, 10);
    try (Way way = new BacklogContender.Gateway(forebay)) {
      way.hold();
      way.write(burst);
      way.release(10);
      for (long drained = 0; drained < 10; drained += way.drained()) {
        Thread.onSpinWait();
      }
      way.check(burst);
      try (Connection connection = forebay.tables().connect();
          Statement statement = connection.createStatement()) {
        statement.execute(
            "update orders set (id, amount) = (select id, amount from orders where id = 4) where id = 3");
      }
      assertThatThrownBy(() -> way.check(burst))
          .hasMessageContaining("the table has Contents[rows=10, ids=46,")
          .hasMessageContaining("but it should have Contents[rows=10, ids=45,");
    }
  }

  /** Drains more than was written. */
  private static final class Faulty implements Way {

    private final long surplus;
    private long left;

    Faulty(long surplus) {
      this.surplus = surplus;
    }

    @Override
    public void hold() {}

    @Override
    public void write(Burst burst) {}

    @Override
    public void release(long messages) {
      left = messages == 1 ? 1 : messages + surplus;
    }

    @Override
    public long drained() {
      return left-- > 0 ? 1 : 0;
    }

    @Override
    public void check(Burst all) {}

    @Override
    public List<Path> queues() {
      return List.of();
    }

    @Override
    public void close() {}
  }
}
