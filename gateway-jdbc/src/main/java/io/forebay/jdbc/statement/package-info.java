/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A statement between message and result: pending in a batch, and its outcome. */
@NullMarked
package io.forebay.jdbc.statement;

import org.jspecify.annotations.NullMarked;
