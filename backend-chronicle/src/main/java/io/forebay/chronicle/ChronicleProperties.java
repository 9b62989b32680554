/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.place.FileLengths;
import io.forebay.chronicle.ring.RingSettings;
import io.forebay.queue.Level;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param level What an accepted message survives: process (kill -9) or disk (loss of power).
 * @param minFree Messages are refused while less disk space than this is free; none: 5% of the
 *     disk, at least 256MB.
 * @param writing How a message gets to its file: direct (the appending thread writes it), pretouch
 *     (another thread prepares pages) or async (through a ring in memory).
 * @param rollCycle How long messages go to one file, which retention deletes as a whole: 5m, 10m,
 *     20m, 30m, 1h, 2h, 4h or 6h; fixed when a queue is created.
 */
@ConfigurationProperties("forebay.chronicle")
@Validated
record ChronicleProperties(
    @DefaultValue("disk") Promise level,
    @Nullable DataSize minFree,
    @DefaultValue("direct") ChronicleBackend.Writing writing,
    @DefaultValue Ring ring,
    @DefaultValue("1h") Duration rollCycle)
    implements Validator {

  private static final DataSize LEAST_RING = DataSize.ofKilobytes(64);
  private static final DataSize LARGEST_RING = DataSize.ofGigabytes(1);

  /** The levels that a single host can guarantee. */
  enum Promise {
    PROCESS(Level.PROCESS),
    DISK(Level.DISK);

    private final Level level;

    Promise(Level level) {
      this.level = level;
    }
  }

  /**
   * @param directory Where the rings of async are; a file system in memory that outlives the
   *     process.
   * @param size The size of the ring of each partition; a power of two from 64KB to 1GB.
   */
  record Ring(@DefaultValue("/dev/shm") Path directory, @DefaultValue("16MB") DataSize size) {}

  ChronicleBackend.Options options() {
    ChronicleBackend.Options options = ChronicleBackend.Options.defaults();
    options = minFree == null ? options : options.withMinFree(minFree.toBytes(), 0);
    return options
        .withLevel(level.level)
        .withWriting(writing)
        .withRing(new RingSettings(ring.directory, ring.size.toBytes()))
        .withRoll(rollCycle);
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == ChronicleProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (ring.size.compareTo(LEAST_RING) < 0
        || ring.size.compareTo(LARGEST_RING) > 0
        || Long.bitCount(ring.size.toBytes()) != 1) {
      errors.rejectValue("ring.size", "ring", "must be a power of two from 64KB to 1GB");
    }
    if (!FileLengths.POSSIBLE.contains(rollCycle)) {
      errors.rejectValue(
          "rollCycle", "rollCycle", "must be one of 5m, 10m, 20m, 30m, 1h, 2h, 4h, 6h");
    }
    if (minFree != null && minFree.isNegative()) {
      errors.rejectValue("minFree", "negative", "must be at least 0B");
    }
  }
}
