/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.trace.TraceParent;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One call and its waiting caller. It is completed once, under the collector's lock; the caller
 * first sees that {@link #isDone()} and then reads the other fields.
 */
final class CollectedCall<A, R extends @Nullable Object> {

  final A argument;
  final long bytes;
  final boolean ofBody;
  final @Nullable TraceParent trace;

  private final Thread caller = Thread.currentThread();
  private boolean sent;
  private @Nullable R result;
  private @Nullable Trouble trouble;
  private volatile boolean done;

  CollectedCall(A argument, long bytes, boolean ofBody, @Nullable TraceParent trace) {
    this.argument = argument;
    this.bytes = bytes;
    this.ofBody = ofBody;
    this.trace = trace;
  }

  boolean isDone() {
    return done;
  }

  boolean isSent() {
    return sent;
  }

  void send() {
    sent = true;
  }

  void succeed(R value) {
    result = value;
    done = true;
  }

  void fail(Trouble value) {
    trouble = value;
    done = true;
  }

  void wake() {
    LockSupport.unpark(caller);
  }

  @SuppressWarnings("NullAway") // R determines whether a result may be null.
  R result(String service) {
    if (trouble != null) {
      throw new CallFailed(service, trouble.reason(), sent, trouble.message(), trouble.cause());
    }
    return result;
  }
}
