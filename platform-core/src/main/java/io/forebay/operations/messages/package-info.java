/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Reads what is in queues, from outside: for the command {@code queue} and for the admin page. */
@NullMarked
package io.forebay.operations.messages;

import org.jspecify.annotations.NullMarked;
