/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The caller's own transaction: messages are inserted into a table of the caller's database, and
 * handed to their services after the commit.
 */
@NullMarked
package io.forebay.outbox;

import org.jspecify.annotations.NullMarked;
