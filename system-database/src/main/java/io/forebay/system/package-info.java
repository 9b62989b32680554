/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What is kept in the system database: tokens and audit. */
@NullMarked
package io.forebay.system;

import org.jspecify.annotations.NullMarked;
