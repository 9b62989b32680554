/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Code shared by the backends whose queues are used by a single process. */
@NullMarked
package io.forebay.queue.local;

import org.jspecify.annotations.NullMarked;
