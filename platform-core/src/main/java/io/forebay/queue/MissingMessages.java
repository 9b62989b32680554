/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/**
 * Messages of a partition that can no longer be read.
 *
 * @param from the position of the first
 * @param to the position of the last
 */
public record MissingMessages(long from, long to) {}
