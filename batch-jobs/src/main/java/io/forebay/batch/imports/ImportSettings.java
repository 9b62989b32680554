/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import java.nio.file.Path;

/**
 * The settings shared by all imports.
 *
 * @param directory the directory that must contain the files
 * @param rejects the directory for files of rejects unless a job names one
 * @param chunk how many records are handed over before the position in the file is stored
 * @param maxRecord the maximum size of a record in bytes
 */
record ImportSettings(Path directory, Path rejects, int chunk, int maxRecord) {}
