/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Collects the single calls of many threads into call chunks, so that code written for one item
 * calls services with many items at a time. Begin with {@link io.forebay.chunk.CallCollector}.
 */
@NullMarked
package io.forebay.chunk;

import org.jspecify.annotations.NullMarked;
