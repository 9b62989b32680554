/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.database.DatabaseLogin;
import org.jspecify.annotations.Nullable;

/**
 * Where the system database is unless {@code forebay.system.datasource} names one.
 *
 * @param owner connects as the role that owns schema forebay; null for the embedded database
 */
public record DefaultSystemDatabase(@Nullable DatabaseLogin owner) {}
