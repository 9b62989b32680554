/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.util.List;
import java.util.Map;

/**
 * The input of the disk runway.
 *
 * @param volume the volume now
 * @param files the files on it that retention will free
 * @param retention when files are deleted
 * @param clears until each service has performed the messages that wait now, from {@link
 *     Lag#performed()}; {@link Until.Never} for a paused one. A service that is missing needs no
 *     files.
 * @param extraBytesPerSecond bytes per second in addition, for a burst
 */
public record Outlook(
    Volume volume,
    List<StoredFile> files,
    FileRetention retention,
    Map<String, Until> clears,
    double extraBytesPerSecond) {

  public Outlook {
    files = List.copyOf(files);
    clears = Map.copyOf(clears);
  }

  /** What if that many bytes per second were added? */
  public Outlook withExtra(double bytesPerSecond) {
    return new Outlook(volume, files, retention, clears, bytesPerSecond);
  }
}
