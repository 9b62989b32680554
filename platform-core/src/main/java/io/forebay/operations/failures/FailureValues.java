/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.call.value.DecodeFailure;
import io.forebay.call.value.ValueText;
import io.forebay.operations.messages.UntypedMessage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a message that was not performed, as text. It may be personal data: show it only
 * to people who may see it, and record that they did. Never log it.
 *
 * @param id as in {@link Failure#id}
 * @param error the message of the database or of the exception; null if it is not known
 * @param calls the calls of the message; empty if it cannot be read
 * @param bytes the first bytes in hexadecimal, only if the message cannot be read
 * @param cut what was left out because the content is large; null if it is complete
 */
public record FailureValues(
    String id,
    @Nullable String error,
    List<Call> calls,
    @Nullable String bytes,
    @Nullable String cut) {

  public FailureValues {
    calls = List.copyOf(calls);
  }

  /**
   * A call of the message.
   *
   * @param method the name of the method
   * @param arguments its arguments, each as text
   * @param statement the name in the catalogue of the statement that it performs; null if unknown
   * @param values the values of the parameters of that statement; empty if unknown
   */
  public record Call(
      String method, List<String> arguments, @Nullable String statement, List<Value> values) {

    public Call {
      arguments = List.copyOf(arguments);
      values = List.copyOf(values);
    }

    /** Of an unknown statement. */
    public Call(String method, List<String> arguments) {
      this(method, arguments, null, List.of());
    }
  }

  /**
   * Reads the calls of a message, or its first bytes if it is not structured as in the message
   * format.
   *
   * @param id of the failure
   * @param error why it was not performed; null if that is not known
   */
  public static FailureValues of(String id, @Nullable String error, byte[] message) {
    ValueText values = new ValueText();
    List<Call> calls = new ArrayList<>();
    try {
      for (UntypedMessage.Call call : UntypedMessage.of(ByteBuffer.wrap(message)).calls()) {
        String method = values.name(call.method());
        List<String> arguments = values.texts(call.arguments());
        if (method != null) {
          calls.add(new Call(method, arguments));
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
          .map(FailureValues::lastList)
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

  /** The same with the statement of its only call, and the values of its parameters. */
  public FailureValues withNames(@Nullable String statement, List<Value> parameters) {
    Call call = calls.getFirst();
    return new FailureValues(
        id,
        error,
        List.of(new Call(call.method(), call.arguments(), statement, parameters)),
        bytes,
        cut);
  }

  /** A parameter and its value as text. */
  public record Value(String name, String value) {}

  /** Omits the content, so that no log shows it by mistake. */
  @Override
  public String toString() {
    return "values of " + id;
  }
}
