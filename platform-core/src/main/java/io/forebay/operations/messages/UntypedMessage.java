/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.ValueReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a message, read without knowing its protocol.
 *
 * @param result the method that was called and what it returned; null if the message is no result
 */
public record UntypedMessage(@Nullable Call result, List<Call> calls) {

  private static final int BEFORE_THE_HEADERS = 3;
  private static final int BEFORE_THE_CALLS = 4;

  /** A call. */
  public record Call(String method, List<? extends @Nullable Object> arguments) {}

  /**
   * @param message its bytes, from the buffer's position to its limit; neither is moved
   * @throws DecodeFailure if it is not structured as in the message format
   */
  public static UntypedMessage of(ByteBuffer message) {
    CborInput in = new CborInput();
    in.reset(message);
    ValueReader values = new ValueReader(in);
    int items = list(in, "a message");
    if (items < BEFORE_THE_CALLS || items % 2 != 0) {
      throw DecodeFailure.malformed("a message without an envelope and whole calls");
    }
    for (int i = 0; i < BEFORE_THE_HEADERS; i++) {
      in.skip();
    }
    Call result = resultOf(in, values);
    List<Call> calls = new ArrayList<>();
    for (int i = BEFORE_THE_CALLS; i < items; i += 2) {
      String method = text(in);
      List<@Nullable Object> arguments = new ArrayList<>();
      for (int left = list(in, "the list of arguments"); left > 0; left--) {
        arguments.add(values.next());
      }
      calls.add(new Call(method, arguments));
    }
    if (in.remaining() > 0) {
      throw DecodeFailure.malformed("extra bytes after the last call");
    }
    return new UntypedMessage(result, calls);
  }

  /** Reads the headers; null if none of them is a result. */
  private static @Nullable Call resultOf(CborInput in, ValueReader values) {
    Call result = null;
    if (in.skipNull()) {
      return null;
    }
    in.head(Cbor.MAP, "the headers");
    for (int left = in.checkedCount(2); left > 0; left--) {
      if (!text(in).equals("result")) {
        in.skip();
        continue;
      }
      if (list(in, "the header result") != 2) {
        throw DecodeFailure.malformed("the header result is not a pair");
      }
      result = new Call(text(in), Collections.singletonList(values.next()));
    }
    return result;
  }

  private static int list(CborInput in, String what) {
    in.head(Cbor.ARRAY, what);
    return in.checkedCount(1);
  }

  private static String text(CborInput in) {
    return in.textBytes(in.string(Cbor.TEXT, "a name"));
  }
}
