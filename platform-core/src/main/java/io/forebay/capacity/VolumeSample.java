/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * A volume at one moment. Counters only grow; one that is smaller than before began anew and leaves
 * a gap. What could not be read is empty.
 *
 * @param usedBytes by all that is on it
 * @param writtenBytes that all queues on it appended so far
 * @param deletedBytes that retention deleted so far
 */
public record VolumeSample(
    Instant at, OptionalLong usedBytes, OptionalLong writtenBytes, OptionalLong deletedBytes) {}
