/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Work on background threads, and how its failures are logged. */
@NullMarked
package io.forebay.background;

import org.jspecify.annotations.NullMarked;
