/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import java.nio.file.Path;

/**
 * What all imports have in common.
 *
 * @param directory where files must be
 * @param rejects where files of rejects are created unless a job says otherwise
 * @param chunk how many records are handed over until the position in the file is kept
 * @param maxRecord how many bytes a record may have
 */
record ImportSettings(Path directory, Path rejects, int chunk, int maxRecord) {}
