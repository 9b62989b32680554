/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Access control: tokens, roles, and the filter chain of Forebay's paths. */
@NullMarked
package io.forebay.security;

import org.jspecify.annotations.NullMarked;
