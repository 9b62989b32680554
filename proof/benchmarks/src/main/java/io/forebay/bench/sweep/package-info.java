/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Which rate a system sustains: measures latencies at fixed rates and finds the highest rate at
 * which they stay stable. Begin with {@link io.forebay.bench.sweep.Sweep}.
 */
@NullMarked
package io.forebay.bench.sweep;

import org.jspecify.annotations.NullMarked;
