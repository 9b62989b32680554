/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/**
 * The counts of a service since it was created. They never decrease.
 *
 * @param performed messages performed and answered, including failures
 * @param failed messages that were answered with a failure; 0 if the component does not count them
 * @param deadLetters messages that could not be decoded, or that the service gave up
 * @param declined messages that the component declined, as a normal outcome
 * @param refused messages that the in-queue refused
 */
public record ServiceCounts(
    long performed, long failed, long deadLetters, long declined, long refused) {}
