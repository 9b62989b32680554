/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Bodies of requests within limits, and what is wrong with them. */
@NullMarked
package io.forebay.security.body;

import org.jspecify.annotations.NullMarked;
