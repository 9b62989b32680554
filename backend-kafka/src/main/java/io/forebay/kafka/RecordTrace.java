/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.queue.Capabilities;
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
  private static final byte[] NAME =
      ((char) (TEXT + TraceParent.NAME.length()) + TraceParent.NAME).getBytes(UTF_8);

  private RecordTrace() {}

  /**
   * The message of a record: its value, unless the record has a sampled trace and the message has
   * none. Bytes that are no message are returned unchanged.
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
    int size = message.remaining() + NAME.length + 2 + value.length;
    if (count < 0
        || count >= MOST_HEADERS
        || has(message)
        || size > Capabilities.MAX_MESSAGE_BYTES) {
      return message.duplicate();
    }
    return ByteBuffer.allocate(size)
        .put(message.slice(message.position(), headers - message.position()))
        .put((byte) (MAP + count + 1))
        .put(NAME)
        .put((byte) (BYTES | 24))
        .put((byte) value.length)
        .put(value)
        .put(message.slice(headers + 1, message.limit() - headers - 1))
        .flip();
  }

  /** Whether the name of the header is anywhere in the message, which then keeps its own. */
  private static boolean has(ByteBuffer message) {
    ByteBuffer name = ByteBuffer.wrap(NAME);
    for (int at = message.position(); at <= message.limit() - NAME.length; at++) {
      if (message.slice(at, NAME.length).equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Where the headers begin, behind array, version, id and time; −1 if this is no message. */
  private static int headers(ByteBuffer message) {
    int at = message.position();
    for (int major : new int[] {ARRAY, UNSIGNED, BYTES, UNSIGNED}) {
      if (at >= message.limit() || (message.get(at) & 0xe0) != major) {
        return -1;
      }
      int info = message.get(at) & 31;
      int bytes = info < 24 ? 0 : info < 28 ? 1 << info - 24 : message.remaining();
      at += 1 + bytes;
      if (major == BYTES) {
        at += 16;
      }
    }
    return at < message.limit() ? at : -1;
  }
}
