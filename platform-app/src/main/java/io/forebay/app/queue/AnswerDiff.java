/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import io.forebay.call.Message;
import io.forebay.hosting.messages.AnswerDigest;
import io.forebay.hosting.messages.Bound;
import io.forebay.hosting.messages.PartitionScan;
import io.forebay.hosting.messages.Selection;
import io.forebay.hosting.messages.StatementNames;
import io.forebay.hosting.messages.StoredMessage;
import io.forebay.queue.stored.StoredQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the answers to replayed messages with those that the source has recorded, by the ids of
 * the messages. Answers are equal if they differ only in their times and places.
 */
final class AnswerDiff {

  /** The clocks of the writers of a message and of its answer may differ. */
  private static final Duration CLOCKS = Duration.ofMinutes(1);

  private final StoredQueue recorded;
  private final @Nullable StoredQueue replayed;
  private final StatementNames names;
  private final Map<UUID, Call> calls = new LinkedHashMap<>();
  private Instant first = Instant.MAX;

  /** The answers to one message. */
  private static final class Call {

    @Nullable Answer recorded;
    @Nullable Answer replayed;

    Outcome outcome() {
      if (recorded == null) {
        return Outcome.UNRECORDED;
      }
      if (replayed == null) {
        return Outcome.MISSING;
      }
      return recorded.digest.equals(replayed.digest) ? Outcome.EQUAL : Outcome.DIFFERENT;
    }
  }

  private record Answer(int partition, long position, String digest) {}

  /** What the comparison of the answers to one message found. */
  private enum Outcome {
    EQUAL,
    DIFFERENT,
    /** The replayed message has no answer, or none yet. */
    MISSING,
    /** The source has no answer: none yet, or not any more. */
    UNRECORDED;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Reads all of them.
   *
   * @param messages that were replayed
   * @param recorded the answers in the source
   * @param replayed the new answers; null if nothing was answered yet
   */
  AnswerDiff(
      StoredQueue messages,
      StoredQueue recorded,
      @Nullable StoredQueue replayed,
      StatementNames names) {
    this.recorded = recorded;
    this.replayed = replayed;
    this.names = names;
    each(
        messages,
        null,
        stored -> {
          Message envelope = stored.envelope();
          if (envelope != null) {
            calls.put(envelope.id(), new Call());
            first = envelope.appendTime().isBefore(first) ? envelope.appendTime() : first;
          }
        });
    if (!calls.isEmpty()) {
      answers(recorded, new Bound(-1, first.minus(CLOCKS)), (call, it) -> call.recorded = it);
    }
    if (replayed != null) {
      answers(replayed, null, (call, it) -> call.replayed = it);
    }
  }

  private void answers(StoredQueue queue, @Nullable Bound from, BiConsumer<Call, Answer> found) {
    each(
        queue,
        from,
        stored -> {
          Message envelope = stored.envelope();
          Call call = envelope == null ? null : calls.get(envelope.id());
          if (call != null) {
            found.accept(
                call,
                new Answer(stored.partition(), stored.position(), AnswerDigest.of(stored.bytes())));
          }
        });
  }

  private void each(StoredQueue queue, @Nullable Bound from, Consumer<StoredMessage> handler) {
    for (int partition = 0; partition < queue.partitions(); partition++) {
      try (PartitionScan scan = scan(queue, partition, from, false)) {
        scan.read(stored -> {
          handler.accept(stored);
          return true;
        });
      }
    }
  }

  private PartitionScan scan(
      StoredQueue queue, int partition, @Nullable Bound from, boolean values) {
    Selection selection = new Selection(from, null, null, null, null);
    return new PartitionScan(queue, partition, selection, values, names);
  }

  /** Whether each message has the same answer in both. */
  boolean isEqual() {
    return calls.values().stream().allMatch(it -> it.outcome() == Outcome.EQUAL);
  }

  /** How many messages have which outcome, to be printed. */
  Map<String, Object> summary() {
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("messages", calls.size());
    for (Outcome outcome : Outcome.values()) {
      summary.put(
          outcome.word(), calls.values().stream().filter(it -> it.outcome() == outcome).count());
    }
    return summary;
  }

  /**
   * Those that differ, and then those that are missing, each in the order of their messages, to be
   * printed.
   *
   * @param values whether to show arguments and values
   */
  List<Map<String, Object>> differences(long limit, boolean values) {
    return Stream.of(Outcome.DIFFERENT, Outcome.MISSING)
        .flatMap(
            outcome -> calls.entrySet().stream().filter(it -> it.getValue().outcome() == outcome))
        .limit(limit)
        .map(it -> difference(it.getKey(), it.getValue(), values))
        .toList();
  }

  private Map<String, Object> difference(UUID id, Call call, boolean values) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", id.toString());
    fields.put("outcome", call.outcome().word());
    put(fields, "recorded", recorded, call.recorded, values);
    put(fields, "replayed", replayed, call.replayed, values);
    return fields;
  }

  private void put(
      Map<String, Object> fields,
      String name,
      @Nullable StoredQueue queue,
      @Nullable Answer answer,
      boolean values) {
    if (queue != null && answer != null) {
      try (PartitionScan scan = scan(queue, answer.partition(), null, values)) {
        Map<String, Object> found = scan.at(answer.position());
        if (found != null) {
          fields.put(name, found);
        }
      }
    }
  }
}
