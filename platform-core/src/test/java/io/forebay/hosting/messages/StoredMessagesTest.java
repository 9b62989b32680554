/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.Protocol;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Messages;
import io.forebay.operations.messages.Messages.Page;
import io.forebay.operations.messages.Messages.Search;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Searches in a queue of two partitions, with 40 messages whose times are in the order of i. */
class StoredMessagesTest {

  private static final int WRITTEN = 40;

  private final MemoryBackend backend = MemoryBackend.open();
  private final List<String> written = new ArrayList<>();
  private final MessageQueue queue = backend.open("notes.in", 2);

  @BeforeEach
  void write() {
    try (Appender appender = queue.appender()) {
      int[] next = {0, 0};
      for (int i = 0; i < WRITTEN; i++) {
        int partition = i % 3 == 0 ? 1 : 0;
        appender.append(partition, message(i));
        written.add(partition + "." + next[partition]++);
      }
    }
  }

  /** A call with two arguments, written i seconds after 2025-06-01T12:00:00Z. */
  private static ByteBuffer message(int i) {
    String method = i == 1 ? "6472617265" : "63616464"; // "rare" or "add"
    String hex =
        "860050%032x1b%016xf6%s8218%02x66736563726574"
            .formatted(i, 1_748_779_200_000_000L + i * 1_000_000L, method, i);
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private Messages messages(long most) {
    return new StoredMessages(
        backend.stored(), StatementNames.none(), new Services(List.of(), null), most);
  }

  private Page page(@Nullable String from, @Nullable String before, @Nullable String after) {
    return messages(1_000)
        .page(new Search("notes.in", null, from, before, after, null, null, null, 7))
        .orElseThrow();
  }

  private static List<String> places(Page page) {
    return page.messages().stream()
        .map(it -> it.get("partition") + "." + it.get("position"))
        .toList();
  }

  @Test
  void pagesOfAllPartitionsHaveEachMessageOnceInBothDirections() {
    List<String> older = new ArrayList<>();
    Page page = page(null, null, null);
    assertThat(page.newer()).isNull();
    older.addAll(places(page));
    while (page.older() != null) {
      page = page(null, page.older(), null);
      older.addAll(places(page));
    }
    assertThat(older).isEqualTo(written.reversed());

    List<String> newer = new ArrayList<>(places(page).reversed());
    while (page.newer() != null) {
      page = page(null, null, page.newer());
      newer.addAll(places(page).reversed());
    }
    assertThat(newer).isEqualTo(written);
  }

  @Test
  void aPageBeginsAtATimeOrAPosition() {
    Page all = messages(1_000).page(search(null, 200)).orElseThrow();
    Map<String, Object> message = all.messages().reversed().get(20);
    Page page = page(String.valueOf(message.get("time")), null, null);
    assertThat(places(page).reversed()).isEqualTo(written.subList(20, 27));
    assertThat(places(page(null, page.older(), null)).reversed())
        .isEqualTo(written.subList(13, 20));
    Page one =
        messages(1_000)
            .page(new Search("notes.in", 1, "5", null, null, null, null, null, 2))
            .orElseThrow();
    assertThat(places(one)).containsExactly("1.6", "1.5");
    assertThat(page("99", null, null).messages()).isEmpty();
  }

  /** Each of the two partitions may be read for a second, and connecting takes longer. */
  @Test
  void connectingTakesNoneOfTheTimeOfASearch() {
    StoredQueues stored = backend.stored();
    StoredQueues far =
        StoredQueues.of(
            "far away", () -> stored.queues().stream().<StoredQueue>map(FarAway::new).toList());
    Page page =
        new StoredMessages(far, StatementNames.none(), new Services(List.of(), null))
            .page(search("rare", 2))
            .orElseThrow();
    assertThat(places(page)).containsExactly("0.0");
    assertThat(page.looked()).isEqualTo(WRITTEN);
  }

  private record FarAway(StoredQueue queue) implements StoredQueue {

    @Override
    public String name() {
      return queue.name();
    }

    @Override
    public int partitions() {
      return queue.partitions();
    }

    @Override
    public QueueStats stats(int partition) {
      return queue.stats(partition);
    }

    @Override
    public Tailer tailer(int partition) {
      LockSupport.parkNanos(Duration.ofMillis(1_100).toNanos());
      return queue.tailer(partition);
    }
  }

  private static Search search(@Nullable String statement, int limit) {
    return new Search("notes.in", null, null, null, null, null, null, statement, limit);
  }

  @Test
  void aSearchThatLookedAtEnoughSaysHowFarItCameAndContinuesThere() {
    Page page = messages(8).page(search("rare", 2)).orElseThrow();
    int requests = 1;
    assertThat(page.messages()).isEmpty();
    while (page.messages().isEmpty()) {
      assertThat(page.looked()).isBetween(4L, 12L);
      assertThat(page.reached()).isNotNull();
      Search next =
          new Search(
              "notes.in",
              null,
              null,
              Objects.requireNonNull(page.older()),
              null,
              null,
              null,
              "rare",
              2);
      page = messages(8).page(next).orElseThrow();
      requests++;
    }
    assertThat(places(page)).containsExactly("0.0");
    assertThat(requests).isGreaterThan(3);
    assertThat(messages(1_000).page(search("rare", 2)).orElseThrow())
        .extracting(Page::older, Page::reached, Page::looked)
        .containsExactly(null, null, (long) WRITTEN);
  }

  @Test
  void aMessageIsFoundByItsIdAndItsValuesAreShownOnlyIfWanted() {
    UUID id = UUID.fromString(String.valueOf(page(null, null, null).messages().get(3).get("id")));
    Page found =
        messages(1_000)
            .page(new Search("notes.in", null, null, null, null, id, null, null, 7))
            .orElseThrow();
    assertThat(places(found)).containsExactly(written.get(36));
    assertThat(found.messages().toString()).doesNotContain("secret");
    assertThat(messages(1).message("notes.in", 1, 12, false).orElseThrow())
        .containsEntry("id", id.toString())
        .containsEntry("argumentCount", 2)
        .doesNotContainKey("arguments");
    assertThat(messages(1).message("notes.in", 1, 12, true).orElseThrow())
        .containsEntry("arguments", List.of("36", "\"secret\""));
  }

  /** Answers to every third message of partition 0, and between them messages that answer none. */
  @Test
  void anAnswerIsFoundWhereverItIsAndOneThatIsMissingIsNot() {
    MessageQueue out = backend.open("notes.out", 1);
    try (Appender appender = out.appender()) {
      for (int source = 30; source < 1_000; source += 3) {
        appender.append(0, answer(source));
      }
    }
    StoredQueue stored =
        backend.stored().queues().stream()
            .filter(it -> it.name().equals("notes.out"))
            .findFirst()
            .orElseThrow();
    Selection any = new Selection(null, null, null, null, null);
    try (PartitionScan scan = new PartitionScan(stored, 0, any, false, StatementNames.none())) {
      for (int source = 0; source < 1_010; source += 7) {
        Long position =
            scan.answer(
                source, new Effort(Long.MAX_VALUE, Duration.ofMinutes(1)), StoredMessage::position);
        boolean answered = source >= 30 && source < 1_000 && source % 3 == 0;
        assertThat(position)
            .as("position of the answer to %d", source)
            .isEqualTo(answered ? Long.valueOf((source - 30) / 3) : null);
      }
    }
    assertThatThrownBy(
            () -> {
              try (PartitionScan scan =
                  new PartitionScan(stored, 0, any, false, StatementNames.none())) {
                scan.answer(33, new Effort(0, Duration.ZERO), StoredMessage::position);
              }
            })
        .isInstanceOf(QueueUnavailable.class)
        .hasMessage("the answer was not found in time; try again");
  }

  /** An answer without a call: its headers have the source. */
  private static ByteBuffer answer(int source) {
    String hex =
        "840050%032x1b%016xa166736f7572636519%04x"
            .formatted(source, 1_748_779_200_000_000L, source);
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  interface Sums {
    void sum(long value);
  }

  /** Runs of 1, 2, 3, … answers, with a message without an answer behind each. */
  @Test
  void eachAnswerOfARunIsFoundByItsSourceAndById() {
    MessageQueue out = backend.open("notes.out", 1);
    int sources = 0;
    try (Output<Sums> output = Protocol.of(Sums.class).output(out)) {
      output.collectRuns();
      for (int length = 1; length < 20; length++) {
        for (int i = 0; i < length; i++) {
          Message.of(0, sources, new UUID(0, sources), Instant.EPOCH).makeCurrent();
          output.calls().sum(length);
          sources++;
        }
        sources++;
      }
      output.flush();
    } finally {
      Message.clear();
    }
    StoredQueue stored =
        backend.stored().queues().stream()
            .filter(it -> it.name().equals("notes.out"))
            .findFirst()
            .orElseThrow();
    Selection any = new Selection(null, null, null, null, null);
    List<UUID> read = new ArrayList<>();
    try (PartitionScan scan = new PartitionScan(stored, 0, any, false, StatementNames.none())) {
      for (int source = 0; source < sources; source++) {
        UUID found =
            scan.answer(
                source,
                new Effort(Long.MAX_VALUE, Duration.ofMinutes(1)),
                it -> Objects.requireNonNull(it.envelope()).id());
        int behind = source + 1;
        boolean answered = IntStream.range(1, 20).noneMatch(it -> it * (it + 3) / 2 == behind);
        assertThat(found).isEqualTo(answered ? new UUID(0, source) : null);
      }
      scan.read(it -> read.add(Objects.requireNonNull(it.envelope()).id()));
    }
    assertThat(read).hasSize(190).isSorted().doesNotHaveDuplicates();
    Page page =
        messages(1_000)
            .page(new Search("notes.out", null, null, null, null, new UUID(0, 12), null, null, 7))
            .orElseThrow();
    assertThat(page.messages())
        .singleElement(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("source", 12L)
        .containsEntry("position", 3L)
        .doesNotContainKey("answers");
    assertThat(messages(1).message("notes.out", 0, 3, false).orElseThrow())
        .containsEntry("source", 9L)
        .containsEntry("answers", 4);
  }

  @Test
  void aTailShowsTheNewestAndSkipsWhatItCannotLookAt() {
    Search search = new Search("notes.in", 0, null, null, null, null, null, null, 5);
    try (Messages.Tail tail = messages(1).tail(search).orElseThrow()) {
      Messages.News first = tail.next().orElseThrow();
      assertThat(first.messages()).hasSize(5);
      assertThat(first.messages().getFirst()).containsEntry("position", 25L);
      assertThat(tail.next().orElseThrow())
          .extracting(Messages.News::arrived, it -> it.messages().size())
          .containsExactly(0L, 0);
      try (Appender appender = queue.appender()) {
        for (int i = 0; i < 20; i++) {
          appender.append(0, message(i + WRITTEN));
        }
      }
      Messages.News burst = tail.next().orElseThrow();
      assertThat(burst.arrived()).isEqualTo(20);
      assertThat(burst.looked()).isEqualTo(5);
      assertThat(burst.messages())
          .extracting(it -> it.get("position"))
          .containsExactly(45L, 44L, 43L, 42L, 41L);
      assertThat(burst.after()).isEqualTo("0.46");
    }
    Search later = new Search("notes.in", 0, null, null, "0.30", null, null, "add", 5);
    try (Messages.Tail tail = messages(1).tail(later).orElseThrow()) {
      assertThat(tail.next().orElseThrow())
          .extracting(Messages.News::arrived, Messages.News::looked, Messages.News::matched)
          .as("with a filter it looks at more than it shows")
          .containsExactly(16L, 16L, 16L);
    }
    Search wrong = new Search("notes.in", 0, "7", null, null, null, null, null, 5);
    assertThatThrownBy(() -> messages(1).tail(wrong))
        .hasMessage("a live tail has neither \"from\" nor \"before\"");
    Search none = new Search("notes.in", 7, null, null, null, null, null, null, 5);
    assertThat(messages(1).tail(none)).isEmpty();
  }

  @Test
  void whatDoesNotExistIsNotFoundAndWrongSearchesAreRefused() {
    assertThat(messages(1).page(new Search("no", null, null, null, null, null, null, null, 7)))
        .isEmpty();
    assertThat(messages(1).page(new Search("notes.in", 2, null, null, null, null, null, null, 7)))
        .isEmpty();
    assertThat(messages(1).message("notes.in", 1, 99, false)).isEmpty();
    assertThat(messages(1).message("notes.in", -1, 0, false)).isEmpty();
    assertThat(messages(1).life("notes.in", 1, 99)).isEmpty();
    assertThat(messages(1).life("notes.in", -1, 0)).isEmpty();
    assertThat(messages(1).life("notes.in", 1, -1)).isEmpty();
    assertThat(messages(1).life("notes.in", 1, 0).orElseThrow().stages())
        .as("no service reads it")
        .isEmpty();
    assertThat(messages(1).queues())
        .extracting(it -> it.queue().name())
        .containsExactly("notes.in");
    assertThatThrownBy(() -> page("yesterday", null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"from\" is neither a position, such as 1200, nor a time");
    assertThatThrownBy(() -> page(null, "0.1_x", null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> page("1", "0.1", null)).hasMessageContaining("exclude one another");
    assertThatThrownBy(() -> messages(1).page(search(null, 201)))
        .hasMessage("limit is 201, allowed: 1 to 200");
  }
}
