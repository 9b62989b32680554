/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A statement between its message and its result: as it waits in a batch, and its outcome. */
@NullMarked
package io.forebay.jdbc.statement;

import org.jspecify.annotations.NullMarked;
