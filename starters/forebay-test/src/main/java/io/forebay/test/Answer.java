/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import io.forebay.call.CallFailure;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer of a service: a call of a method of its answers, or the failure of a call.
 *
 * @param method the name of the method; {@code callFailed} for a failure
 * @param arguments its arguments; the {@link CallFailure} for a failure
 */
public record Answer(String method, List<@Nullable Object> arguments) {

  /** For example {@code answer("priced", order, new BigDecimal("7.50"))}. */
  public static Answer answer(String method, @Nullable Object... arguments) {
    return new Answer(method, Arrays.asList(arguments));
  }

  /** The failure of a call that the service gave up. */
  public static Answer failure(String error, String text) {
    return answer("callFailed", new CallFailure(error, text));
  }

  /** The failure of a call that the component declined. */
  public static Answer declined(String error, String text) {
    return answer("callFailed", new CallFailure(error, text, true));
  }
}
