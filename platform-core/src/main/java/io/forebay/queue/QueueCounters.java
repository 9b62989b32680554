/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.util.OptionalLong;

/**
 * How much was appended to a partition, as counted by its appenders. Figures that are not counted
 * are empty.
 *
 * @param end the position the next message will have
 * @param appendedBytes the bytes that all messages so far took in storage; never decreases, and
 *     starts at 0 when the queue is opened
 */
public record QueueCounters(OptionalLong end, OptionalLong appendedBytes) {}
