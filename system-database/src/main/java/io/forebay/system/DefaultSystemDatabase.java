/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.database.DatabaseLogin;
import org.jspecify.annotations.Nullable;

/**
 * The system database that is used if {@code forebay.system.datasource} is not set.
 *
 * @param property where the owner is configured
 * @param owner connects as the role that owns schema forebay; null for the embedded database
 */
public record DefaultSystemDatabase(String property, @Nullable DatabaseLogin owner) {}
