/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Periodic work and reading of queues on background threads, and how their failures are logged. */
@NullMarked
package io.forebay.background;

import org.jspecify.annotations.NullMarked;
