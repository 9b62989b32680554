/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The types that callers use: statements, rows, failures. The service is in {@link
 * io.forebay.jdbc.gateway}.
 */
@NullMarked
package io.forebay.jdbc;

import org.jspecify.annotations.NullMarked;
