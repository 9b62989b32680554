/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Instant;

/**
 * Why a whole queue can be neither written nor read at the moment.
 *
 * @param reason {@link QueueRefused.Reason#UNAVAILABLE} if it resumes automatically, {@link
 *     QueueRefused.Reason#FAILED} if it waits for an operator
 * @param text the state and what to do, for an operator
 * @param since when it began
 */
public record QueueOutage(QueueRefused.Reason reason, String text, Instant since) {}
