/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/**
 * What a service did since it was made. The figures only grow.
 *
 * @param performed messages performed and answered, failures among them
 * @param failed messages that were answered with a failure; 0 where the component does not tell
 * @param deadLetters messages that could not be decoded
 * @param refused messages that the in-queue did not take
 */
public record ServiceCounts(long performed, long failed, long deadLetters, long refused) {}
