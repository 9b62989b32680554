/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Ring buffers of samples, in coarser steps the older they are. */
@NullMarked
package io.forebay.capacity.series;

import org.jspecify.annotations.NullMarked;
