/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Limits at the door: how fast, and how many at once. */
@NullMarked
package io.forebay.jdbc.http.limit;

import org.jspecify.annotations.NullMarked;
