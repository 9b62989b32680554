/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static io.forebay.call.value.DecodeFailure.malformed;

import io.forebay.call.Headers.Header;
import io.forebay.call.history.History;
import io.forebay.call.history.HistoryRecorder;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.UndecodableReason;
import io.forebay.queue.sender.UnprovenSender;
import io.forebay.trace.TraceParent;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the items before the calls of a message. Not thread-safe. */
final class Envelope {

  private final CborInput in;
  private final @Nullable HistoryRecorder recorder;

  /** Where the value of the header {@code result} begins; 0 if the message has none. */
  int result;

  private @Nullable History history;

  Envelope(CborInput in) {
    this(in, null);
  }

  /**
   * @param recorder decides which messages carry their history; null for a reader that does not
   *     answer
   */
  Envelope(CborInput in, @Nullable HistoryRecorder recorder) {
    this.in = in;
    this.recorder = recorder;
  }

  /**
   * Reads the head of the outer array.
   *
   * @return how many calls the message has
   */
  int calls() {
    if ((in.head() & 0xe0) != Cbor.ARRAY) {
      throw malformed("the message is not an array");
    }
    int items = in.checkedCount(1);
    if (items < Frame.ENVELOPE_ITEMS || items % 2 != 0 || items > Cbor.MAX_ITEMS) {
      throw malformed(
          "the message is an array of %,d items (allowed: an even number from %d to %,d)"
              .formatted(items, Frame.ENVELOPE_ITEMS, Cbor.MAX_ITEMS));
    }
    return (items - Frame.ENVELOPE_ITEMS) / 2;
  }

  /** Reads a message that is no run. */
  Message read(int partition, long position) {
    return read(partition, position, false);
  }

  /**
   * @param runs whether it may be an {@link AnswerRun}; its id is then that of the first message
   */
  Message read(int partition, long position, boolean runs) {
    result = 0;
    history = null;
    part(Cbor.UNSIGNED, "version");
    boolean unproven = in.argument == UnprovenSender.VERSION;
    boolean run = runs && in.argument == AnswerRun.VERSION;
    if (in.argument != Frame.VERSION && !unproven && !run) {
      throw new DecodeFailure(
          UndecodableReason.UNKNOWN_VERSION,
          "version %s (known: %d)".formatted(Long.toUnsignedString(in.argument), Frame.VERSION));
    }
    int id = run ? ids() : id("id");
    int answers = run ? (in.at - id) / 16 : 1;
    long idHigh = (long) Cbor.LONGS.get(in.bytes, id);
    long idLow = (long) Cbor.LONGS.get(in.bytes, id + 8);
    long micros = unsigned("time");
    Headers headers = in.skipNull() ? Headers.NONE : headers();
    if (unproven) {
      headers.unproven();
    } else if (run) {
      headers.ofRun(answers);
    }
    History carried =
        recorder == null
            ? history
            : recorder.received(history, headers.source >= 0, position, idHigh, idLow);
    return new Message(partition, position, idHigh, idLow, micros, headers, carried);
  }

  private Headers headers() {
    part(Cbor.MAP, "map of headers");
    int count = in.checkedCount(2);
    if (count > Cbor.MAX_HEADERS) {
      throw malformed("%,d headers (limit=%d)".formatted(count, Cbor.MAX_HEADERS));
    }
    Headers headers = new Headers();
    int seen = 0;
    boolean declined = false;
    List<String> others = null;
    for (int i = 0; i < count; i++) {
      part(Cbor.TEXT, "name of a header");
      int length = in.checkedLength();
      Header header = Header.skip(in, length);
      if (header == null) {
        others = others == null ? new ArrayList<>() : others;
        String name = in.textBytes(length);
        once(!others.contains(name));
        others.add(name);
        in.skip();
        continue;
      }
      int bit = 1 << header.ordinal();
      once((seen & bit) == 0);
      seen |= bit;
      switch (header) {
        case SOURCE -> headers.source = unsigned("header source");
        case CLIENT -> headers.client = text("header client", Cbor.MAX_KEY_BYTES);
        case KEY -> headers.key = text("header key", Cbor.MAX_KEY_BYTES);
        case SOURCE_CLIENT ->
            headers.sourceClient = text("header sourceClient", Cbor.MAX_KEY_BYTES);
        case SOURCE_KEY -> headers.sourceKey = text("header sourceKey", Cbor.MAX_KEY_BYTES);
        case TRACE -> headers.trace = trace();
        case RESULT -> {
          result = in.at; // read only by those who wait for it
          in.skip();
        }
        case HISTORY -> history = history();
        case DELIVER_BY -> headers.deliverBy = unsigned("header deliverBy");
        case REPLAY_OF -> headers.replayOf = uuid();
        case FAILURE -> headers.failure = failure();
        case DECLINED -> {
          declined = in.skipTrue();
          if (!declined) {
            in.skip();
          }
        }
      }
    }
    if (declined && headers.failure != null) {
      headers.failure = headers.failure.asDeclined();
    }
    return headers;
  }

  /** It only informs, so a message is not refused because of it. */
  private @Nullable History history() {
    int start = in.at;
    History read = History.read(in);
    if (read == null) {
      in.at = start;
      in.skip();
    }
    return read;
  }

  /** It only informs, too. */
  private @Nullable TraceParent trace() {
    int start = in.at;
    boolean bytes = (in.head() & 0xe0) == Cbor.BYTES && in.argument == TraceParent.BYTES;
    int value = in.at;
    in.at = start;
    in.skip();
    return bytes ? TraceParent.read(in.bytes, value) : null;
  }

  private static void once(boolean first) {
    if (!first) {
      throw malformed("a header appears twice");
    }
  }

  private CallFailure failure() {
    part(Cbor.ARRAY, "header failure");
    int count = in.checkedCount(1);
    if (count != 2) {
      throw malformed("the header failure has %,d items instead of 2".formatted(count));
    }
    int most = 4 * CallFailure.MAX_TEXT;
    return new CallFailure(text("error of a failure", most), text("text of a failure", most));
  }

  private String text(String name, int maxBytes) {
    part(Cbor.TEXT, name);
    int length = in.checkedLength();
    if (length > maxBytes) {
      throw malformed("the %s has %,d bytes (limit=%d)".formatted(name, length, maxBytes));
    }
    return in.textBytes(length);
  }

  private UUID uuid() {
    int at = id("header replayOf");
    return new UUID((long) Cbor.LONGS.get(in.bytes, at), (long) Cbor.LONGS.get(in.bytes, at + 8));
  }

  /** Reads 16 bytes and returns where they are. */
  private int id(String name) {
    part(Cbor.BYTES, name);
    int length = in.checkedLength();
    if (length != 16) {
      throw malformed("the %s has %,d bytes instead of 16".formatted(name, length));
    }
    int at = in.at;
    in.at += 16;
    return at;
  }

  /** Reads the ids of a run and returns where they are. */
  private int ids() {
    part(Cbor.BYTES, "ids");
    int length = in.checkedLength();
    if (length < 32 || length % 16 != 0) {
      throw malformed("the ids have %,d bytes instead of 16 for each of several".formatted(length));
    }
    int at = in.at;
    in.at += length;
    return at;
  }

  private long unsigned(String name) {
    part(Cbor.UNSIGNED, name);
    if (in.argument < 0) {
      throw malformed("the " + name + " is beyond 63 bits");
    }
    return in.argument;
  }

  private void part(int major, String name) {
    int initial = in.head();
    if ((initial & 0xe0) != major) {
      throw malformed("the " + name + " is " + in.name(initial));
    }
  }
}
