/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The queues and their messages. */
@NullMarked
package io.forebay.admin.messages;

import org.jspecify.annotations.NullMarked;
