/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Access control: tokens, roles, and the filter chain that every request passes. */
@NullMarked
package io.forebay.security;

import org.jspecify.annotations.NullMarked;
