/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Spring Batch steps whose service calls travel in chunks. Start reading with {@link
 * io.forebay.batch.ChunkingItemProcessor}.
 */
@NullMarked
package io.forebay.batch;

import org.jspecify.annotations.NullMarked;
