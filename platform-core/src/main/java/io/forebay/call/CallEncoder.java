/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.CborOutput;
import io.forebay.call.value.RefusedValue;
import io.forebay.call.value.ScalarType;
import io.forebay.call.value.ValueWriter;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The methods that a {@link WriterClass} calls to encode a call. A call that throws leaves nothing
 * behind: the next one is written behind the last complete one. Not thread-safe.
 */
abstract class CallEncoder {

  private final CborOutput out;
  private final ValueWriter values;
  private final String protocol;
  private final ProtocolMethod[] methods;
  private @Nullable ProtocolMethod method;

  CallEncoder(Protocol<?> protocol, CborOutput out) {
    this.out = out;
    this.values = new ValueWriter(out, protocol.classes());
    this.protocol = protocol.type().getSimpleName();
    this.methods = protocol.methods();
  }

  /** Positions the output for the next call. */
  abstract void open();

  /** Completes a call without a result. */
  abstract void close();

  /** Completes a call of a method that has a result, and returns its future. */
  abstract CompletableFuture<?> closeExpecting(ProtocolMethod called);

  final void begin(int index) {
    ProtocolMethod called = methods[index];
    method = called;
    values.reset();
    open();
    out.raw(called.encodedStart, 0, called.encodedStart.length);
  }

  final void putBoolean(boolean value) {
    out.bool(value);
  }

  final void putInteger(long value) {
    out.integer(value);
  }

  final void putFloat(float value) {
    out.float32(value);
  }

  final void putDouble(double value) {
    out.float64(value);
  }

  final void putValue(int index, @Nullable Object value) {
    ProtocolMethod called = called();
    try {
      values.value(called.parameters[index], value);
    } catch (RefusedValue e) {
      throw refused(called, index, e);
    }
  }

  final void end() {
    close();
  }

  final CompletableFuture<?> endExpecting() {
    return closeExpecting(called());
  }

  private ProtocolMethod called() {
    return Objects.requireNonNull(method);
  }

  private IllegalArgumentException refused(ProtocolMethod called, int index, RefusedValue e) {
    return new IllegalArgumentException(
        "%s.%s: parameter %d%s (counted from 1) is %s, which no message can carry; nothing was appended (allowed: %s)"
            .formatted(
                protocol, called.name, index + 1, e.where(), e.getMessage(), ScalarType.ALLOWED));
  }
}
