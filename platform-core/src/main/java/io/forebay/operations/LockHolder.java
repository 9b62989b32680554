/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A session of a database that holds a lock for which a service waits.
 *
 * @param session identifies it in the database, such as the process id of PostgreSQL
 * @param application the name that it gave itself; empty if it gave none
 * @param since when its transaction began; null if it has none, such as with an advisory lock, or
 *     the service may not see that
 * @param idleSince since when it has done nothing in this transaction; null if it does something,
 *     or the service may not see that
 * @param hidden whether the service may not see what the session does
 * @param waits since when the service waits
 */
public record LockHolder(
    long session,
    String application,
    String user,
    @Nullable Instant since,
    @Nullable Instant idleSince,
    boolean hidden,
    Instant waits) {}
