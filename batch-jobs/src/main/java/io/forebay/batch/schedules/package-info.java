/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Jobs that start at due times, once in a cluster. Start reading with {@link
 * io.forebay.batch.schedules.Scheduler}.
 */
@NullMarked
package io.forebay.batch.schedules;

import org.jspecify.annotations.NullMarked;
