/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.util.OptionalLong;

/**
 * What was appended to a partition, as counted by those who append. What is not counted is empty.
 *
 * @param end the position the next message will have
 * @param appendedBytes what messages took so far, where they are stored; it only grows, and begins
 *     at 0 when the queue is opened
 */
public record QueueCounters(OptionalLong end, OptionalLong appendedBytes) {}
