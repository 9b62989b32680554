/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Applications that send messages in transactions of their database, for a benchmark. */
@NullMarked
package io.forebay.bench.outbox;

import org.jspecify.annotations.NullMarked;
