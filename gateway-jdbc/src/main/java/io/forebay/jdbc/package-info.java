/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Statements in, results out: the component that performs queued statements on a database. */
@NullMarked
package io.forebay.jdbc;

import org.jspecify.annotations.NullMarked;
