/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** SQL text: names of parameters, what a statement does, and which statements are refused. */
@NullMarked
package io.forebay.jdbc.sql;

import org.jspecify.annotations.NullMarked;
