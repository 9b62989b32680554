/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Who may call: tokens, roles, and the chain that every request passes. */
@NullMarked
package io.forebay.app.security;

import org.jspecify.annotations.NullMarked;
