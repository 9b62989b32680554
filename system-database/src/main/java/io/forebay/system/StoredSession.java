/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;

/**
 * What is kept of a session.
 *
 * @param hash SHA-256 of its text, as 64 hexadecimal digits in lower case
 * @param user the name of whose it is
 * @param usedAt when it was used last, to about a minute
 */
public record StoredSession(String hash, String user, Instant usedAt) {}
