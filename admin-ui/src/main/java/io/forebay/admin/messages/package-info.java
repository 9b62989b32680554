/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The queues, their messages, what became of one, and a live tail. */
@NullMarked
package io.forebay.admin.messages;

import org.jspecify.annotations.NullMarked;
