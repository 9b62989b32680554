/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.queue.Capabilities;
import io.forebay.queue.sender.UnprovenSender;
import io.forebay.trace.TraceParent;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Moves the trace of a record of another program from the headers of the record into those of the
 * message, so that it stays with the message.
 */
final class RecordTrace {

  private static final int UNSIGNED = 0;
  private static final int BYTES = 0x40;
  private static final int TEXT = 0x60;
  private static final int ARRAY = 0x80;
  private static final int MAP = 0xa0;
  private static final int NULL = 0xf6;
  private static final int MOST_HEADERS = 16;
  private static final int ID_BYTES = 16;
  private static final byte[] NAME = TraceParent.NAME.getBytes(UTF_8);

  private RecordTrace() {}

  /**
   * The message of a record: its value, unless the record has a sampled trace and the message has
   * none. Other bytes, also those of a run of answers, are returned unchanged.
   */
  static ByteBuffer added(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    ByteBuffer message = record.value();
    Header header = record.headers().lastHeader(TraceParent.NAME);
    TraceParent trace =
        header == null || header.value() == null
            ? null
            : TraceParent.parse(new String(header.value(), UTF_8));
    int headers = trace == null ? -1 : headers(message);
    return trace == null || headers < 0 ? message.duplicate() : with(message, headers, trace);
  }

  private static ByteBuffer with(ByteBuffer message, int headers, TraceParent trace) {
    int first = message.get(headers) & 0xff;
    int count = first == NULL ? 0 : first - MAP;
    byte[] value = trace.bytes();
    int size = message.remaining() + 1 + NAME.length + 2 + value.length;
    if (count < 0
        || count >= MOST_HEADERS
        || has(message, headers)
        || size > Capabilities.MAX_MESSAGE_BYTES) {
      return message.duplicate();
    }
    return ByteBuffer.allocate(size)
        .put(message.slice(message.position(), headers - message.position()))
        .put((byte) (MAP + count + 1))
        .put((byte) (TEXT + NAME.length))
        .put(NAME)
        .put((byte) (BYTES | 24))
        .put((byte) value.length)
        .put(value)
        .put(message.slice(headers + 1, message.limit() - headers - 1))
        .flip();
  }

  /** Whether the name is anywhere behind the envelope's head: the message then keeps its own. */
  private static boolean has(ByteBuffer message, int headers) {
    for (int at = headers; at <= message.limit() - NAME.length; at++) {
      int same = 0;
      while (same < NAME.length && message.get(at + same) == NAME[same]) {
        same++;
      }
      if (same == NAME.length) {
        return true;
      }
    }
    return false;
  }

  /**
   * Where the headers begin, behind array, version, id and time; −1 if this is no message with one
   * id. A run of answers has several.
   */
  private static int headers(ByteBuffer message) {
    int version = end(message, message.position(), ARRAY);
    int id = end(message, version, UNSIGNED);
    int time = end(message, id, BYTES);
    if (time < 0
        || argument(message, id, time) != ID_BYTES
        || !hasOneId(argument(message, version, id))) {
      return -1;
    }
    int headers = end(message, time + ID_BYTES, UNSIGNED);
    return headers < message.limit() ? headers : -1;
  }

  private static boolean hasOneId(long version) {
    return version == 0 || version == UnprovenSender.VERSION;
  }

  /** Where a head of that major type ends; −1 if there is none, or not all of it. */
  private static int end(ByteBuffer message, int at, int major) {
    if (at < 0 || at >= message.limit() || (message.get(at) & 0xe0) != major) {
      return -1;
    }
    int info = message.get(at) & 31;
    int bytes = info < 24 ? 0 : info < 28 ? 1 << info - 24 : message.remaining();
    return at + 1 + bytes <= message.limit() ? at + 1 + bytes : -1;
  }

  /** The argument of the head between these indexes. */
  private static long argument(ByteBuffer message, int from, int to) {
    long argument = to - from == 1 ? message.get(from) & 31 : 0;
    for (int at = from + 1; at < to; at++) {
      argument = argument << 8 | message.get(at) & 0xff;
    }
    return argument;
  }
}
