/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The queue abstraction that every backend implements, and the backend in memory. Begin with {@link
 * io.forebay.queue.MessageQueue}.
 */
@NullMarked
package io.forebay.queue;

import org.jspecify.annotations.NullMarked;
