/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the disk runway is asked for: things as they are, or a "what if".
 *
 * @param volume now
 * @param files on it, for what retention will free
 * @param retention when files go; empty if none ever goes
 * @param clears until each service has performed what waits now, from {@link Lag#clear()}; {@link
 *     Until.Never} for one that is paused. A service that is missing holds nothing back.
 * @param intake times the forecast growth, 1 for as it is
 * @param extraBytesPerSecond on top of it, for a burst
 */
public record Outlook(
    Volume volume,
    List<StoredFile> files,
    Optional<Retention> retention,
    Map<String, Until> clears,
    double intake,
    double extraBytesPerSecond) {

  public Outlook {
    files = List.copyOf(files);
    clears = Map.copyOf(clears);
  }

  /** Things as they are. */
  public Outlook(
      Volume volume,
      List<StoredFile> files,
      Optional<Retention> retention,
      Map<String, Until> clears) {
    this(volume, files, retention, clears, 1, 0);
  }

  /** What if files were kept for another time? */
  public Outlook keeping(Retention other) {
    return new Outlook(volume, files, Optional.of(other), clears, intake, extraBytesPerSecond);
  }

  /** What if a service cleared what waits in another time, for instance because it is resumed? */
  public Outlook clearing(String service, Until until) {
    Map<String, Until> others = new java.util.HashMap<>(clears);
    others.put(service, until);
    return new Outlook(volume, files, retention, others, intake, extraBytesPerSecond);
  }

  /** What if so many times as much came in? */
  public Outlook withIntake(double times) {
    return new Outlook(volume, files, retention, clears, times, extraBytesPerSecond);
  }

  /** What if so many bytes per second came on top? */
  public Outlook withExtra(double bytesPerSecond) {
    return new Outlook(volume, files, retention, clears, intake, bytesPerSecond);
  }
}
