/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The input of the disk runway: the present situation, or a "what if".
 *
 * @param volume the volume now
 * @param files the files on it that retention will free
 * @param retention when files are deleted; empty if never
 * @param clears until each service has performed the messages that wait now, from {@link
 *     Lag#performed()}; {@link Until.Never} for a paused one. A service that is missing needs no
 *     files.
 * @param intake factor on the forecast growth; 1 for the present intake
 * @param extraBytesPerSecond bytes per second in addition, for a burst
 */
public record Outlook(
    Volume volume,
    List<StoredFile> files,
    Optional<FileRetention> retention,
    Map<String, Until> clears,
    double intake,
    double extraBytesPerSecond) {

  public Outlook {
    files = List.copyOf(files);
    clears = Map.copyOf(clears);
  }

  /** The present situation. */
  public Outlook(
      Volume volume,
      List<StoredFile> files,
      Optional<FileRetention> retention,
      Map<String, Until> clears) {
    this(volume, files, retention, clears, 1, 0);
  }

  /** What if a service cleared what waits in another time, for instance because it is resumed? */
  public Outlook clearing(String service, Until until) {
    Map<String, Until> others = new java.util.HashMap<>(clears);
    others.put(service, until);
    return new Outlook(volume, files, retention, others, intake, extraBytesPerSecond);
  }

  /** What if the intake were multiplied? */
  public Outlook withIntake(double times) {
    return new Outlook(volume, files, retention, clears, times, extraBytesPerSecond);
  }

  /** What if that many bytes per second were added? */
  public Outlook withExtra(double bytesPerSecond) {
    return new Outlook(volume, files, retention, clears, intake, bytesPerSecond);
  }
}
