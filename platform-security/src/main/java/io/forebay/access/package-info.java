/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Tokens, users and passwords: stored, checked, shown once. */
@NullMarked
package io.forebay.access;

import org.jspecify.annotations.NullMarked;
