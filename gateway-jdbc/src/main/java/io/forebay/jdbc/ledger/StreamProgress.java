/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

/**
 * How far a stream of statements is in one partition.
 *
 * @param line the last line that was performed; those before it in this partition were, too
 * @param done how many of its lines took effect
 * @param failed how many failed
 */
public record StreamProgress(int partition, long line, long done, long failed) {}
