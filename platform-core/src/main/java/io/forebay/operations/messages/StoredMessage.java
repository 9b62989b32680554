/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import io.forebay.call.AnswerRun;
import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.call.history.Hop;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.UndecodableReason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message as it is stored. For one thread, until the buffer is reused.
 *
 * @param bytes the whole message
 */
public record StoredMessage(String queue, int partition, long position, ByteBuffer bytes) {

  private static final int MAX_HEX = 64;

  /** The answers of a run, each as a message with the position of the run; or this message. */
  public Stream<StoredMessage> singly() {
    try {
      AnswerRun run = AnswerRun.of(queue, partition, position, bytes);
      if (run != null) {
        return IntStream.range(0, run.count())
            .mapToObj(it -> new StoredMessage(queue, partition, position, run.single(it)));
      }
    } catch (UndecodableMessage _) {
      // it is shown as one that cannot be decoded
    }
    return Stream.of(this);
  }

  /**
   * Whether it has this id and this key.
   *
   * @param id null: any
   * @param key null: any
   */
  public boolean has(@Nullable UUID id, @Nullable String key) {
    if (id == null && key == null) {
      return true;
    }
    try {
      Message envelope = envelope();
      return (id == null || id.equals(envelope.id()))
          && (key == null || key.equals(envelope.key()));
    } catch (UndecodableMessage _) {
      return false;
    }
  }

  private Message envelope() {
    return Message.peek(queue, partition, position, bytes);
  }

  /**
   * Its fields, in the order in which they are shown.
   *
   * @param names of statements
   * @param values whether to show arguments and values, which may be personal data
   */
  public Map<String, Object> fields(StatementNames names, boolean values) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("queue", queue);
    fields.put("partition", partition);
    fields.put("position", position);
    try {
      Message envelope = envelope();
      put(fields, envelope);
      put(fields, envelope, new Content(bytes), names, values);
    } catch (UndecodableMessage e) {
      undecodable(fields, e.reason(), values);
    } catch (DecodeFailure e) {
      undecodable(fields, e.reason, values);
    }
    return fields;
  }

  private static void put(Map<String, Object> fields, Message envelope) {
    fields.put("time", envelope.appendTime().toString());
    fields.put("id", envelope.id().toString());
    put(fields, "client", envelope.client());
    put(fields, "key", envelope.key());
    put(fields, "replayOf", envelope.replayOf() == null ? null : envelope.replayOf().toString());
    put(fields, "deliverBy", envelope.deliverBy() == null ? null : envelope.deliverBy().toString());
    envelope.source().ifPresent(source -> fields.put("source", source));
    put(fields, "answers", envelope.sources() > 1 ? envelope.sources() : null);
    put(fields, "sourceClient", envelope.sourceClient());
    put(fields, "sourceKey", envelope.sourceKey());
    put(fields, "history", envelope.history().stream().map(StoredMessage::hop).toList());
  }

  private static Map<String, Object> hop(Hop hop) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("service", hop.service());
    fields.put("position", hop.position());
    fields.put("received", hop.received().toString());
    fields.put("waitingMicros", micros(hop.waiting()));
    fields.put("performingMicros", micros(hop.performing()));
    fields.put("answeringMicros", micros(hop.answering()));
    return fields;
  }

  private static long micros(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }

  private void put(
      Map<String, Object> fields,
      Message envelope,
      Content content,
      StatementNames names,
      boolean values) {
    fields.put("kind", content.kind(envelope));
    put(fields, "method", one(content.methods.stream()));
    put(fields, "statement", one(content.statements.stream().map(it -> shown(it, names, values))));
    put(fields, "error", envelope.failure() == null ? content.error() : envelope.failure().error());
    fields.put("bytes", bytes.remaining());
    if (values) {
      put(fields, "failure", envelope.failure() == null ? null : envelope.failure().text());
      put(fields, "arguments", content.arguments);
      put(fields, "cut", content.cut());
    }
  }

  /** Names and, because it may contain values, SQL text only with the values. */
  private String shown(String text, StatementNames names, boolean values) {
    String name = names.nameOf(queue, text);
    return name != null ? name : values ? text : "SQL text";
  }

  private void undecodable(Map<String, Object> fields, UndecodableReason reason, boolean values) {
    fields.put("kind", "undecodable");
    fields.put("reason", reason.name());
    fields.put("bytes", bytes.remaining());
    if (values) {
      byte[] first = new byte[Math.min(MAX_HEX, bytes.remaining())];
      bytes.get(bytes.position(), first);
      fields.put("hex", HexFormat.of().formatHex(first));
    }
  }

  private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
    if (value != null && !value.equals(List.of())) {
      fields.put(name, value);
    }
  }

  private static @Nullable Object one(Stream<String> texts) {
    List<String> distinct = texts.distinct().toList();
    return distinct.size() == 1 ? distinct.getFirst() : distinct;
  }
}
