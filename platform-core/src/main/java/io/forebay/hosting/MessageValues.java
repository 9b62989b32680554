/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborInput;
import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.ValueText;
import io.forebay.operations.failures.FailureValues;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the content of a message for people, without knowing its protocol. */
public final class MessageValues {

  private static final int BEFORE_THE_CALLS = 4;
  private static final int MAJOR = 0xe0;

  private MessageValues() {}

  /**
   * Reads the calls of a message, or its first bytes if it is not structured as in the message
   * format.
   *
   * @param id of the failure
   * @param error why it was not performed; null if that is not known
   */
  public static FailureValues of(String id, @Nullable String error, byte[] message) {
    CborInput in = new CborInput();
    in.reset(ByteBuffer.wrap(message));
    ValueText values = new ValueText(in);
    try {
      return new FailureValues(id, error, calls(in, values), null, values.cut());
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
    CborInput in = new CborInput();
    in.reset(ByteBuffer.wrap(message));
    List<List<String>> lists = new ArrayList<>();
    try {
      in.head(Cbor.ARRAY, "a message");
      int items = in.checkedCount(1);
      for (int i = 0; i < BEFORE_THE_CALLS; i++) {
        in.skip();
      }
      for (int i = BEFORE_THE_CALLS; i < items; i += 2) {
        in.skip();
        lists.add(lastList(in));
      }
      return lists;
    } catch (DecodeFailure _) {
      return List.of();
    }
  }

  private static List<String> lastList(CborInput in) {
    in.head(Cbor.ARRAY, "the list of arguments");
    int arguments = in.checkedCount(1);
    for (int i = 0; i < arguments - 1; i++) {
      in.skip();
    }
    if (arguments == 0) {
      return List.of();
    }
    int begin = in.at;
    if ((in.head() & MAJOR) != Cbor.ARRAY || in.checkedCount(1) > ValueText.MAX_VALUES) {
      in.at = begin;
      in.skip();
      return List.of();
    }
    int count = in.checkedCount(1);
    ValueText values = new ValueText(in);
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String element = values.next();
      if (element != null) {
        elements.add(element);
      }
    }
    return elements.size() == count ? elements : List.of();
  }

  private static List<FailureValues.Call> calls(CborInput in, ValueText values) {
    in.head(Cbor.ARRAY, "a message");
    int items = in.checkedCount(1);
    for (int i = 0; i < BEFORE_THE_CALLS; i++) {
      in.skip();
    }
    List<FailureValues.Call> calls = new ArrayList<>();
    for (int i = BEFORE_THE_CALLS; i < items; i += 2) {
      String method = values.name();
      List<String> arguments = arguments(in, values);
      if (method != null) {
        calls.add(new FailureValues.Call(method, arguments));
      }
    }
    if (in.remaining() > 0) {
      throw DecodeFailure.malformed("extra bytes after the last call");
    }
    return calls;
  }

  private static List<String> arguments(CborInput in, ValueText values) {
    in.head(Cbor.ARRAY, "the list of arguments");
    int count = in.checkedCount(1);
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String argument = values.next();
      if (argument != null) {
        arguments.add(argument);
      }
    }
    return arguments;
  }
}
