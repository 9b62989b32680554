/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the backends have in common whose queues one process uses. */
@NullMarked
package io.forebay.queue.local;

import org.jspecify.annotations.NullMarked;
