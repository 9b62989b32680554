/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Which statements take the time of a database. Begin with {@link
 * io.forebay.capacity.statement.StatementShares}.
 */
@NullMarked
package io.forebay.capacity.statement;

import org.jspecify.annotations.NullMarked;
