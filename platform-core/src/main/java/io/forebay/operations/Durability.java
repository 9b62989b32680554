/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.queue.Level;

/**
 * What an acknowledged message of an in-queue survives.
 *
 * @param level the strongest level at which the queue acknowledges; of a shared queue, the weakest
 *     of its backend until its settings are known
 * @param shared whether the queue is on servers, so that a message of level {@code PROCESS}
 *     survives the end of this process and of this host, but not that of the server's host
 * @param inMemoryFirst whether a message that has only reached {@code PROCESS} is in a file system
 *     in memory, which may end with the container of this process
 * @param streams whether it performs lines of streams, whose sender may ask for an acknowledgement
 *     at {@code PROCESS} if the queue is not shared
 */
public record Durability(Level level, boolean shared, boolean inMemoryFirst, boolean streams) {}
