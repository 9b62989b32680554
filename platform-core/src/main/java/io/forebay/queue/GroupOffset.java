/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/**
 * The offset of a consumer in a partition, as its consumer group has committed it.
 *
 * @param position the first position that the consumer has not performed
 * @param metadata a text of the consumer, committed with it; may be empty
 */
public record GroupOffset(long position, String metadata) {}
