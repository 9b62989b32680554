/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Computes lag, burst headroom and disk runway from samples. Nothing here reads a clock, a queue or
 * a database: time comes with the samples. Begin with {@link io.forebay.capacity.ServiceHistory}
 * and {@link io.forebay.capacity.disk.VolumeHistory}; every result is a {@link
 * io.forebay.capacity.Figure}, which is measured, estimated or unknown with a reason.
 *
 * <p>Letters in formulas: {@code A} accepted and {@code P} performed messages per second over 10 s,
 * {@code L} messages accepted and not performed, {@code S} age of the oldest of them, {@code X}
 * messages per second of a burst, {@code b} bytes on disk per message, {@code W} bytes per second
 * that the kernel writes back.
 */
@NullMarked
package io.forebay.capacity;

import org.jspecify.annotations.NullMarked;
