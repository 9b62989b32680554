/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * When files are deleted: when they are due, but not before every service that needs them has
 * performed them.
 *
 * @param kept how long a file that is yet to be written is kept after it was closed
 * @param roll how long messages are written to a file before the next one is opened
 */
public record FileRetention(Duration kept, Duration roll) {

  /**
   * Files past their retention time that a service still needs.
   *
   * @param files how many
   * @param bytes the bytes of these files
   */
  public record Held(int files, long bytes) {

    private Held plus(long more) {
      return new Held(files + 1, bytes + more);
    }
  }

  private static final Held NOTHING = new Held(0, 0);

  /**
   * The files past their retention time that each service holds back. A file that two services need
   * counts for both.
   */
  public Map<String, Held> heldBack(Collection<StoredFile> files, Instant now) {
    Map<String, Held> held = new TreeMap<>();
    for (StoredFile file : files) {
      if (!file.due().isAfter(now)) {
        file.neededBy()
            .forEach(service ->
                held.merge(service, NOTHING.plus(file.bytes()), (a, b) -> a.plus(b.bytes())));
      }
    }
    return held;
  }

  /**
   * The file that is deleted first, or several files.
   *
   * @param until the time until then, or until the last of them is deleted
   * @param bytes the bytes that are freed
   */
  public record Next(Until until, long bytes) {}

  /**
   * The file that is deleted first; empty if there is none, or none whose services are known to
   * perform all of it.
   *
   * @param clears until each service has performed the messages that wait now
   */
  public Optional<Next> next(Collection<StoredFile> files, Map<String, Until> clears, Instant now) {
    return deletions(files, clears, now).findFirst();
  }

  /** The files that are deleted until this many bytes are free; empty if all of them are less. */
  public Optional<Next> freeing(
      long bytes, Collection<StoredFile> files, Map<String, Until> clears, Instant now) {
    long freed = 0;
    for (Next file : deletions(files, clears, now).toList()) {
      freed += file.bytes();
      if (freed >= bytes) {
        return Optional.of(new Next(file.until(), freed));
      }
    }
    return Optional.empty();
  }

  /** In the order of time, without files whose services may never perform all of them. */
  private Stream<Next> deletions(
      Collection<StoredFile> files, Map<String, Until> clears, Instant now) {
    return files.stream()
        .map(file -> new Next(deleted(file, clears, now), file.bytes()))
        .filter(it -> !(it.until() instanceof Until.Never))
        .sorted(Comparator.comparing(Next::until));
  }

  /** The time until a file is deleted. */
  Until deleted(StoredFile file, Map<String, Until> clears, Instant now) {
    Until gone = Until.ofSeconds(Lag.seconds(Duration.between(now, file.due())), "");
    for (String service : file.neededBy()) {
      Until clear = clears.get(service);
      gone = clear == null ? gone : gone.later(clear);
    }
    return gone;
  }

  /**
   * Where retention depends on time alone (Kafka): the time until unperformed messages are deleted,
   * kept - S.
   */
  public static Figure<Until> lossMargin(Duration kept, Figure<Duration> behind) {
    return behind.map(age -> Until.ofSeconds(Lag.seconds(kept.minus(age)), "nothing waits"));
  }
}
