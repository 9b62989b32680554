/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The queue backend in memory, for tests and for data that may be lost with the process. Begin with
 * {@link io.forebay.queue.memory.MemoryBackend}.
 */
@NullMarked
package io.forebay.queue.memory;

import org.jspecify.annotations.NullMarked;
