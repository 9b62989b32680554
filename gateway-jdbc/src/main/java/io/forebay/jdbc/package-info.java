/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The JDBC gateway: statements come in as messages, are performed in batches on a database, and
 * each gets exactly one durable result. Begin with {@link io.forebay.jdbc.JDBCService}.
 */
@NullMarked
package io.forebay.jdbc;

import org.jspecify.annotations.NullMarked;
