/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The command {@code queue}: reads queues from outside, without starting a service. */
@NullMarked
package io.forebay.app.queue;

import org.jspecify.annotations.NullMarked;
