/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The databases that Forebay opens: the embedded database, checks of external databases,
 * migrations.
 */
@NullMarked
package io.forebay.database;

import org.jspecify.annotations.NullMarked;
