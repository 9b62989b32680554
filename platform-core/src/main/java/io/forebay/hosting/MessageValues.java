/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.ValueText;
import io.forebay.hosting.messages.UntypedMessage;
import io.forebay.operations.failures.FailureValues;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the content of a message for people, without knowing its protocol. */
public final class MessageValues {

  private MessageValues() {}

  /**
   * Reads the calls of a message, or its first bytes if it is not structured as in the message
   * format.
   *
   * @param id of the failure
   * @param error why it was not performed; null if that is not known
   */
  public static FailureValues of(String id, @Nullable String error, byte[] message) {
    ValueText values = new ValueText();
    List<FailureValues.Call> calls = new ArrayList<>();
    try {
      for (UntypedMessage.Call call : UntypedMessage.of(ByteBuffer.wrap(message)).calls()) {
        String method = values.name(call.method());
        List<String> arguments = values.texts(call.arguments());
        if (method != null) {
          calls.add(new FailureValues.Call(method, arguments));
        }
      }
      return new FailureValues(id, error, calls, null, values.cut());
    } catch (DecodeFailure _) {
      String cut =
          2 * message.length <= ValueText.MAX_LENGTH
              ? null
              : "the first %,d of %,d bytes".formatted(ValueText.MAX_LENGTH / 2, message.length);
      return new FailureValues(id, error, List.of(), ValueText.hex(message), cut);
    }
  }

  /**
   * Reads the elements of the last argument of each call, each as text; none of a call whose last
   * argument is no list, or has more than {@value ValueText#MAX_VALUES} elements.
   *
   * @return empty if the message is not structured as in the message format
   */
  public static List<List<String>> lastLists(byte[] message) {
    try {
      return UntypedMessage.of(ByteBuffer.wrap(message)).calls().stream()
          .map(MessageValues::lastList)
          .toList();
    } catch (DecodeFailure _) {
      return List.of();
    }
  }

  private static List<String> lastList(UntypedMessage.Call call) {
    if (call.arguments().isEmpty() || !(call.arguments().getLast() instanceof List<?> list)) {
      return List.of();
    }
    List<String> texts = new ValueText().texts(list);
    return texts.size() == list.size() ? texts : List.of();
  }
}
