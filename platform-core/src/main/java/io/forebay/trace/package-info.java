/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A trace that goes through a queue.
 *
 * <p>A message carries the {@link io.forebay.trace.TraceParent} of its caller if the caller's span
 * is sampled: a header {@code traceparent} of 39 bytes. A message without one has the same bytes as
 * before, and costs nothing. A {@code Writer} takes it from the current span of its thread. The
 * door takes it from the request if the thread has no sampled span, and the Kafka backend takes it
 * from the headers of a record that another program wrote. A chunk of calls carries that of its
 * first call with one, over queues and over HTTP. An answer, a dead letter and a replay carry the
 * header of their message; what a component of your own sends has the component's span as parent.
 *
 * <p>These spans are made, with the name {@code process <in-queue>}:
 *
 * <ul>
 *   <li>an own service makes a span for each try of a call, current while the component runs. It
 *       has no error if it was interrupted: the service stopped, or another instance took over;
 *   <li>a gateway makes a span for each message of a batch, and {@code batch <in-queue>}, which is
 *       in a trace of its own and links them. They last as long as the batch.
 * </ul>
 *
 * <p>The first try has the caller's span as parent. A retry, and a message that an operator sends
 * again, begin another trace with a link to the caller's span: the caller's trace may be long over.
 *
 * <p>A span is exported some seconds after its end. A crash loses those that were not exported. The
 * context is in the messages, so that spans made after the restart have the right parents and
 * links.
 */
@NullMarked
package io.forebay.trace;

import org.jspecify.annotations.NullMarked;
