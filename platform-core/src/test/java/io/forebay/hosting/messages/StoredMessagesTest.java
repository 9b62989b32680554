/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.operations.Services;
import io.forebay.operations.messages.Messages;
import io.forebay.operations.messages.Messages.Page;
import io.forebay.operations.messages.Messages.Search;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Searches in a queue of two partitions, with 40 messages whose times are in the order of i. */
class StoredMessagesTest {

  private static final int WRITTEN = 40;

  private final MemoryBackend backend = MemoryBackend.open();
  private final List<String> written = new ArrayList<>();

  @BeforeEach
  void write() {
    MessageQueue queue = backend.open("notes.in", 2);
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

  @Test
  void whatDoesNotExistIsNotFoundAndWrongSearchesAreRefused() {
    assertThat(messages(1).page(new Search("no", null, null, null, null, null, null, null, 7)))
        .isEmpty();
    assertThat(messages(1).page(new Search("notes.in", 2, null, null, null, null, null, null, 7)))
        .isEmpty();
    assertThat(messages(1).message("notes.in", 1, 99, false)).isEmpty();
    assertThat(messages(1).message("notes.in", -1, 0, false)).isEmpty();
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
