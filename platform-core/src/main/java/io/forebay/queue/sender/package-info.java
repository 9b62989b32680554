/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Who sent a message of a queue that other programs can write to. */
@NullMarked
package io.forebay.queue.sender;

import org.jspecify.annotations.NullMarked;
