/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The job {@code import}: files of records become statements of the catalogue, each once. Begin
 * with {@link io.forebay.batch.imports.ImportRun}.
 */
@NullMarked
package io.forebay.batch.imports;

import org.jspecify.annotations.NullMarked;
