/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.Level;

/** The settings that all queues of one backend share. */
public record QueueSettings(Level level, Host host, CycleClock clock, DiskSpace space) {}
