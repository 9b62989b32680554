/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.chronicle.ChronicleBackend.Writing;
import io.forebay.queue.Level;
import java.util.Map;

/** What the benchmark {@code jmh} measures, in the order of its table. */
enum JmhOperation {
  APPEND(AppendOperations.class, "append", true),
  APPEND_ASYNC(AppendOperations.class, "append", true, Map.of("writing", Writing.ASYNC)),
  /** Has no target: the thread that forces allocates for each group of appends. */
  APPEND_DISK(AppendOperations.class, "append", false, Map.of("level", Level.DISK)),
  BARE_APPEND(BareAppendOperation.class, "append", false),
  ENCODE(CallOperations.class, "encode", true),
  ENCODE_UNSAMPLED(CallOperations.class, "encodeUnsampled", true),
  BARE_ENCODE(CallOperations.class, "bareEncode", false),
  DECODE(CallOperations.class, "decode", false),
  BARE_DECODE(CallOperations.class, "bareDecode", false),
  DISPATCH(CallOperations.class, "dispatch", false),
  BARE_DISPATCH(CallOperations.class, "bareDispatch", false);

  private final Class<?> type;
  private final String method;
  private final boolean mustNotAllocate;
  private final Map<String, ?> parameters;

  JmhOperation(Class<?> type, String method, boolean mustNotAllocate) {
    this(type, method, mustNotAllocate, Map.of());
  }

  JmhOperation(Class<?> type, String method, boolean mustNotAllocate, Map<String, ?> parameters) {
    this.type = type;
    this.method = method;
    this.mustNotAllocate = mustNotAllocate;
    this.parameters = parameters;
  }

  /** Whether 0 bytes per operation are its target. */
  boolean mustNotAllocate() {
    return mustNotAllocate;
  }

  /** The regular expression by which JMH finds it. */
  String pattern() {
    return "^" + type.getName().replace(".", "\\.") + "\\." + method + "$";
  }

  /** The parameters that are not the default. */
  Map<String, ?> parameters() {
    return parameters;
  }

  boolean usesFolder() {
    return type != CallOperations.class;
  }
}
