/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.nio.file.Path;

/**
 * A partition and the settings of its backend.
 *
 * @param name names it in log and error messages
 * @param directory has its files
 * @param salt see {@link FrameFile#salt}
 */
public record Partition(String name, Path directory, int salt, QueueSettings settings) {}
