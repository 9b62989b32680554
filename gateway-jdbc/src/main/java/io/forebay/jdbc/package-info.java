/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What callers and results are made of: statements, rows, failures. The service is in {@link
 * io.forebay.jdbc.gateway}.
 */
@NullMarked
package io.forebay.jdbc;

import org.jspecify.annotations.NullMarked;
