/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Reads queues from outside: of a service that is running, and of one that is stopped. */
@NullMarked
package io.forebay.queue.stored;

import org.jspecify.annotations.NullMarked;
