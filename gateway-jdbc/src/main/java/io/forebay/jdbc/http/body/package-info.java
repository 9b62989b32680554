/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Reads the bodies of requests to the door, within limits of size and memory. */
@NullMarked
package io.forebay.jdbc.http.body;

import org.jspecify.annotations.NullMarked;
