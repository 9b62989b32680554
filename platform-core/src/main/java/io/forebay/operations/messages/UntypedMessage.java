/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.UntypedReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The headers and calls of a message, read without knowing its protocol. */
public record UntypedMessage(UntypedReader.Pairs headers, List<Call> calls) {

  private static final int HEADERS = 3;
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
    Object value = new UntypedReader(in).next();
    if (in.remaining() > 0) {
      throw DecodeFailure.malformed("extra bytes after the last call");
    }
    if (!(value instanceof List<?> items) || items.size() < BEFORE_THE_CALLS) {
      throw DecodeFailure.malformed("a message that is not a list with an envelope");
    }
    List<Call> calls = new ArrayList<>();
    for (int i = BEFORE_THE_CALLS; i < items.size(); i += 2) {
      if (i + 1 == items.size()
          || !(items.get(i) instanceof String method)
          || !(items.get(i + 1) instanceof List<?> arguments)) {
        throw DecodeFailure.malformed("a call that is not a name and a list of arguments");
      }
      calls.add(new Call(method, arguments));
    }
    return new UntypedMessage(
        items.get(HEADERS) instanceof UntypedReader.Pairs headers
            ? headers
            : UntypedReader.Pairs.NONE,
        calls);
  }
}
