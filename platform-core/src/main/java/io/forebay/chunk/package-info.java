/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Single calls of many threads become call chunks, so that code written for one item calls services
 * for many. Begin with {@link io.forebay.chunk.Collector}.
 */
@NullMarked
package io.forebay.chunk;

import org.jspecify.annotations.NullMarked;
