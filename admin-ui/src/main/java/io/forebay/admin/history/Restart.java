/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * This instance stopped and was started again.
 *
 * @param stoppedAt if it did not stop cleanly, the last second in which it certainly ran
 * @param startedAt when clients could call again
 * @param clean whether all services had stopped before the process ended
 * @param hostRestarted whether the host was restarted in between; null if unknown
 */
public record Restart(
    Instant stoppedAt, Instant startedAt, boolean clean, @Nullable Boolean hostRestarted) {}
