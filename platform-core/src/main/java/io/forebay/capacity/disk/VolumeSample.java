/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * A volume at one moment. Counters never decrease; a smaller value means that the counter was reset
 * and leaves a gap. A figure that could not be read is empty.
 *
 * @param usedBytes bytes used by everything on it
 * @param writtenBytes bytes that all queues on it appended so far
 * @param deletedBytes bytes that retention deleted so far
 * @param queueBytes the part of the used bytes that the files of all queues take
 * @param databaseBytes the part of the used bytes that Forebay's own database takes
 */
public record VolumeSample(
    Instant at,
    OptionalLong usedBytes,
    OptionalLong writtenBytes,
    OptionalLong deletedBytes,
    OptionalLong queueBytes,
    long databaseBytes) {}
