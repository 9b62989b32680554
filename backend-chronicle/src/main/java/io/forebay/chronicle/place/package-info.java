/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Who owns the data directory, and what is fixed when a queue is created. */
@NullMarked
package io.forebay.chronicle.place;

import org.jspecify.annotations.NullMarked;
