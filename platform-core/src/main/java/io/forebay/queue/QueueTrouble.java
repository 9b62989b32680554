/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Instant;

/**
 * Why a queue as a whole can neither be appended to nor read at the moment.
 *
 * @param reason {@link QueueRefused.Reason#UNAVAILABLE} if it goes on by itself, {@link
 *     QueueRefused.Reason#FAILED} if it waits for an operator
 * @param text what is so and what to do, in words for an operator
 * @param since since when
 */
public record QueueTrouble(QueueRefused.Reason reason, String text, Instant since) {}
