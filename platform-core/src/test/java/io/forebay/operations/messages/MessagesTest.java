/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.Protocol;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Messages.Page;
import io.forebay.operations.messages.Messages.Search;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.queue.stored.StoredQueue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue of two partitions: 26 messages in the first one, 14 in the other. */
class MessagesTest {

  private static final int WRITTEN = 40;

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue queue = backend.open("notes.in", 2);

  @BeforeEach
  void write() {
    try (Appender appender = queue.appender()) {
      for (int i = 0; i < WRITTEN; i++) {
        appender.append(i % 3 == 0 ? 1 : 0, message(i));
      }
    }
  }

  /** A call with two arguments, written i seconds after 2025-06-01T12:00:00Z. */
  private static ByteBuffer message(int i) {
    String hex =
        "860050%032x1b%016xf6636164648218%02x66736563726574"
            .formatted(i, 1_748_779_200_000_000L + i * 1_000_000L, i % 200 + 24);
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private Messages messages() {
    return new Messages(backend.stored(), StatementNames.none(), new Services(List.of(), null));
  }

  private Page page(@Nullable Long before) {
    return messages().page(new Search("notes.in", 0, before, null, null, 7)).orElseThrow();
  }

  private static List<Object> positions(Page page) {
    return page.messages().stream().map(it -> it.get("position")).toList();
  }

  @Test
  void pagesOfAPartitionHaveEachMessageOnce() {
    List<Object> older = new ArrayList<>();
    Page page = page(null);
    assertThat(page)
        .extracting(Page::first, Page::begin, Page::before, Page::end)
        .containsExactly(0L, 19L, 26L, 26L);
    older.addAll(positions(page));
    while (page.begin() > page.first()) {
      page = page(page.begin());
      older.addAll(positions(page));
    }
    assertThat(older).isEqualTo(LongStream.range(0, 26).boxed().toList().reversed());
  }

  @Test
  void aPageEndsBeforeAPosition() {
    assertThat(positions(page(3L))).containsExactly(2L, 1L, 0L);
    assertThat(positions(page(-5L))).isEmpty();
    assertThat(positions(page(Long.MAX_VALUE)).getFirst()).isEqualTo(25L);
  }

  @Test
  void aSearchWhoseTimeIsOverSaysHowFarItCameAndContinuesThere() {
    MessageQueue many = backend.open("many.in", 1);
    try (Appender appender = many.appender()) {
      for (int i = 0; i < 2_500; i++) {
        appender.append(0, message(i));
      }
    }
    Messages hurried =
        new Messages(
            backend.stored(), StatementNames.none(), new Services(List.of(), null), Duration.ZERO);
    UUID second = new UUID(0, 1);
    List<Page> pages = new ArrayList<>();
    Long before = null;
    do {
      pages.add(hurried.page(new Search("many.in", 0, before, second, null, 1)).orElseThrow());
      before = pages.getLast().begin();
    } while (pages.getLast().messages().isEmpty());
    assertThat(pages).extracting(Page::begin).containsExactly(1_500L, 500L, 0L);
    assertThat(positions(pages.getLast())).containsExactly(1L);
  }

  @Test
  void aMessageIsFoundByItsIdAndItsValuesAreShownOnlyIfWanted() {
    UUID id = UUID.fromString(String.valueOf(page(null).messages().get(3).get("id")));
    Page found = messages().page(new Search("notes.in", 0, null, id, null, 7)).orElseThrow();
    assertThat(positions(found)).containsExactly(22L);
    assertThat(found.begin()).isZero();
    assertThat(found.messages().toString()).doesNotContain("secret");
    assertThat(messages().page(new Search("notes.in", 1, null, id, null, 7)).orElseThrow())
        .extracting(Page::messages)
        .isEqualTo(List.of());
    assertThat(messages().page(new Search("notes.in", 0, null, null, "key", 7)).orElseThrow())
        .extracting(Page::messages)
        .isEqualTo(List.of());
    assertThat(messages().message("notes.in", 1, 12, false).orElseThrow())
        .containsEntry("id", new UUID(0, 36).toString())
        .containsEntry("method", "add")
        .doesNotContainKey("arguments");
    assertThat(messages().message("notes.in", 1, 12, true).orElseThrow())
        .containsEntry("arguments", List.of("60", "\"secret\""));
  }

  interface Sums {
    void sum(long value);
  }

  /** Runs of 1, 2, 3, … answers, with a message without an answer behind each. */
  @Test
  void eachAnswerOfARunIsFoundById() {
    MessageQueue out = backend.open("notes.out", 1);
    int sources = 0;
    try (Output<Sums> output = Protocol.of(Sums.class).output(out, 0)) {
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
    List<UUID> read = new ArrayList<>();
    try (PartitionReader reader = new PartitionReader(stored, 0)) {
      reader.read(
          0,
          reader.end(),
          message -> {
            message
                .singly()
                .map(it -> it.fields(StatementNames.none(), false).get("id"))
                .forEach(it -> read.add(UUID.fromString(String.valueOf(it))));
            return true;
          });
    }
    assertThat(read).hasSize(190).isSorted().doesNotHaveDuplicates();
    Page page =
        messages().page(new Search("notes.out", 0, null, new UUID(0, 12), null, 7)).orElseThrow();
    assertThat(page.messages())
        .singleElement(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("source", 12L)
        .containsEntry("position", 3L)
        .doesNotContainKey("answers");
    assertThat(messages().message("notes.out", 0, 3, false).orElseThrow())
        .containsEntry("source", 9L)
        .containsEntry("answers", 4);
  }

  @Test
  void whatDoesNotExistIsNotFoundAndWrongSearchesAreRefused() {
    assertThat(messages().page(new Search("no", 0, null, null, null, 7))).isEmpty();
    assertThat(messages().page(new Search("notes.in", 2, null, null, null, 7))).isEmpty();
    assertThat(messages().page(new Search("notes.in", -1, null, null, null, 7))).isEmpty();
    assertThat(messages().message("notes.in", 1, 99, false)).isEmpty();
    assertThat(messages().message("notes.in", 1, -1, false)).isEmpty();
    assertThat(messages().message("notes.in", -1, 0, false)).isEmpty();
    assertThat(messages().queues()).extracting(it -> it.queue().name()).containsExactly("notes.in");
    for (int limit : List.of(0, Messages.MAX_LIMIT + 1)) {
      assertThatThrownBy(() -> messages().page(new Search("notes.in", 0, null, null, null, limit)))
          .hasMessage("limit is %d, allowed: 1 to 200".formatted(limit));
    }
  }
}
