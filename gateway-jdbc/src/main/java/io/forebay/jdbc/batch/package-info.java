/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The transaction of a batch: perform, isolate what fails, retry. Begin with {@link
 * io.forebay.jdbc.batch.BatchTransaction}.
 */
@NullMarked
package io.forebay.jdbc.batch;

import org.jspecify.annotations.NullMarked;
