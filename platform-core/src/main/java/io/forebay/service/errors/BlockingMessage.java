/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import java.time.Instant;

/**
 * A message that a partition fails to perform again and again, and that an operator may fail.
 *
 * @param position where it is in the partition
 * @param since when it first failed alone, in this process
 * @param attempts how often it has failed alone since then
 * @param reason why the last attempt failed; quotes nothing of the message
 */
public record BlockingMessage(long position, Instant since, long attempts, String reason) {}
