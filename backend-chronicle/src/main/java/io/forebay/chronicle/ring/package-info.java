/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Rings in shared memory, which take messages before they are in the files of a partition. */
@NullMarked
package io.forebay.chronicle.ring;

import org.jspecify.annotations.NullMarked;
