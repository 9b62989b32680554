/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.call.value.WireType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A method of a protocol: how a call of it is written, read and dispatched. */
final class ProtocolMethod {

  final String name;
  final byte[] nameBytes;

  /** The encoded name and head of the argument array. */
  final byte[] encodedStart;

  final MethodType type;
  final WireType[] parameters;

  /** The type of its result; null if it returns void. */
  final @Nullable WireType result;

  /** Takes the target and an array of the arguments; returns what the method returned, or null. */
  final MethodHandle dispatcher;

  ProtocolMethod(
      Method method, WireType[] parameters, @Nullable WireType result, MethodHandle handle) {
    this.name = method.getName();
    this.nameBytes = name.getBytes(StandardCharsets.UTF_8);
    this.parameters = parameters;
    this.result = result;
    this.type =
        MethodType.methodType(
            result == null ? void.class : CompletableFuture.class, method.getParameterTypes());
    this.dispatcher =
        handle
            .asFixedArity()
            .asSpreader(Object[].class, parameters.length)
            .asType(MethodType.methodType(Object.class, Object.class, Object[].class));
    this.encodedStart =
        CborOutput.encoded(out -> {
          out.text(Cbor.TEXT, name);
          out.head(Cbor.ARRAY, parameters.length);
        });
  }
}
