/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.call.history.Hop;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A message as it is stored, and how it is shown. For one thread, until the buffer is reused. */
public final class StoredMessage {

  private static final int MAX_HEX = 64;

  private final String queue;
  private final int partition;
  private final long position;
  private final ByteBuffer bytes;
  private final boolean values;
  private final StatementNames names;
  private @Nullable Message envelope;
  private @Nullable String reason;
  private @Nullable Content content;

  /**
   * @param values whether to show arguments and values, which may be personal data
   * @param names of statements
   */
  StoredMessage(
      String queue,
      int partition,
      long position,
      ByteBuffer bytes,
      boolean values,
      StatementNames names) {
    this.queue = queue;
    this.partition = partition;
    this.position = position;
    this.bytes = bytes;
    this.values = values;
    this.names = names;
    try {
      envelope = Message.peek(queue, partition, position, bytes);
    } catch (UndecodableMessage e) {
      reason = e.reason().name();
    }
  }

  public long position() {
    return position;
  }

  /** The whole message. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** Null if it cannot be decoded. */
  public @Nullable Message envelope() {
    return envelope;
  }

  private Content content() {
    if (content == null) {
      content = Content.of(bytes, values);
    }
    return content;
  }

  /**
   * Whether it is a call of a method, or a statement.
   *
   * @param wanted the method, the statement's name in the catalogue with or without a version, or a
   *     part of SQL text that is not in the catalogue
   */
  public boolean isOf(String wanted) {
    return content().methods().contains(wanted)
        || content().statements().stream().anyMatch(text -> isOf(wanted, text, nameOf(text)));
  }

  private static boolean isOf(String wanted, String text, @Nullable String name) {
    if (name != null) {
      String version = name.replaceFirst(":.*", "");
      if (wanted.equals(name)
          || wanted.equals(version)
          || wanted.equals(version.replaceFirst("@.*", ""))) {
        return true;
      }
    }
    return !text.equals(name)
        && text.toLowerCase(Locale.ROOT).contains(wanted.toLowerCase(Locale.ROOT));
  }

  /** Its fields, in the order in which they are shown. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("queue", queue);
    fields.put("partition", partition);
    fields.put("position", position);
    Message known = envelope;
    if (known == null) {
      undecodable(fields, String.valueOf(reason));
      return fields;
    }
    fields.put("time", known.appendTime().toString());
    fields.put("id", known.id().toString());
    put(fields, "client", known.client());
    put(fields, "key", known.key());
    put(fields, "replayOf", known.replayOf() == null ? null : known.replayOf().toString());
    put(fields, "deliverBy", known.deliverBy() == null ? null : known.deliverBy().toString());
    known.source().ifPresent(source -> fields.put("source", source));
    put(fields, "answers", known.sources() > 1 ? known.sources() : null);
    put(fields, "sourceClient", known.sourceClient());
    put(fields, "sourceKey", known.sourceKey());
    List<Hop> history = known.history();
    if (!history.isEmpty()) {
      fields.put("history", history.stream().map(StoredMessage::hop).toList());
    }
    Content read = content();
    if (read.undecodable() != null) {
      undecodable(fields, read.undecodable());
      return fields;
    }
    fields.put("kind", read.kind(known));
    put(fields, "method", one(read.methods()));
    put(fields, "statement", one(shown(read.statements())));
    put(fields, "error", known.failure() == null ? read.error() : known.failure().error());
    fields.put("bytes", bytes.remaining());
    put(fields, "rows", read.rows());
    fields.put("argumentCount", read.argumentCount());
    if (values) {
      put(fields, "failure", known.failure() == null ? null : known.failure().text());
      if (!read.arguments().isEmpty()) {
        fields.put("arguments", read.arguments());
      }
      put(fields, "cut", read.cut());
    }
    return fields;
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

  private void undecodable(Map<String, Object> fields, String why) {
    fields.put("kind", "undecodable");
    fields.put("reason", why);
    fields.put("bytes", bytes.remaining());
    if (values) {
      byte[] first = new byte[Math.min(MAX_HEX, bytes.remaining())];
      bytes.get(bytes.position(), first);
      fields.put("hex", HexFormat.of().formatHex(first));
    }
  }

  /** Names and, because it may contain values, SQL text only with the values. */
  private List<String> shown(List<String> statements) {
    return statements.stream().map(this::shown).distinct().toList();
  }

  private String shown(String text) {
    String name = nameOf(text);
    return name != null ? name : values ? text : "SQL text";
  }

  private @Nullable String nameOf(String text) {
    return names.nameOf(queue, text);
  }

  private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
  }

  private static @Nullable Object one(List<String> texts) {
    return switch (texts.size()) {
      case 0 -> null;
      case 1 -> texts.getFirst();
      default -> texts;
    };
  }
}
