/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.forebay.call.history.History;
import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.CborOutput;
import io.forebay.trace.TraceParent;
import org.jspecify.annotations.Nullable;

/** The headers that a reader knows; the most frequent ones are first. */
enum Header {
  SOURCE("source"),
  CLIENT("client"),
  KEY("key"),
  SOURCE_CLIENT("sourceClient"),
  SOURCE_KEY("sourceKey"),
  TRACE(TraceParent.NAME),
  RESULT("result"),
  HISTORY(History.HEADER),
  DELIVER_BY("deliverBy"),
  REPLAY_OF("replayOf"),
  FAILURE("failure"),
  DECLINED("declined");

  private static final Header[] ALL = values();

  private final String name;
  private final byte[] bytes;

  Header(String name) {
    this.name = name;
    this.bytes = name.getBytes(US_ASCII);
  }

  /** Skips the next bytes if they are the name of a header; returns null if not. */
  static @Nullable Header skip(CborInput in, int length) {
    for (Header header : ALL) {
      if (in.skipBytes(length, header.bytes)) {
        return header;
      }
    }
    return null;
  }

  /** Writes the name; the value follows. */
  void write(CborOutput out) {
    out.text(Cbor.TEXT, name);
  }
}
