/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Steps of Spring Batch whose service calls travel in chunks. Begin with {@link
 * io.forebay.batch.ChunkingItemProcessor}.
 */
@NullMarked
package io.forebay.batch;

import org.jspecify.annotations.NullMarked;
