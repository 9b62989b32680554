/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** When a volume will be full. Begin with {@link io.forebay.capacity.disk.VolumeHistory}. */
@NullMarked
package io.forebay.capacity.disk;

import org.jspecify.annotations.NullMarked;
