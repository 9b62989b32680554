/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;

/**
 * A login session, as stored in the system database.
 *
 * @param hash SHA-256 of its text, as 64 hexadecimal digits in lower case
 * @param user the name of its user
 * @param begunAt when the user logged in
 * @param usedAt when it was last used, to about a minute
 * @param address where the user logged in from
 */
public record StoredSession(
    String hash, String user, Instant begunAt, Instant usedAt, String address) {}
