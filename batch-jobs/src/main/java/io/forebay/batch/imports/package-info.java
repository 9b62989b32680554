/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The job {@code import}: performs a statement of the catalogue once for each record of a file.
 * Start reading with {@link io.forebay.batch.imports.ImportRun}.
 */
@NullMarked
package io.forebay.batch.imports;

import org.jspecify.annotations.NullMarked;
