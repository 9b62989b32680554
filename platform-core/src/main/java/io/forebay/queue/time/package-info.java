/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** When messages were appended, in nanoseconds where this process appended them. */
@NullMarked
package io.forebay.queue.time;

import org.jspecify.annotations.NullMarked;
