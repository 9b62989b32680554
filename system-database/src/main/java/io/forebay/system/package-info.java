/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The system database: tokens, users, sessions, audit and desired states. */
@NullMarked
package io.forebay.system;

import org.jspecify.annotations.NullMarked;
