/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import java.util.Optional;

/**
 * The disk that services share. Unless noted, a method returns the last sample or forecast at no
 * cost. Thread-safe.
 */
public interface Host {

  /** The volume of the queues; empty if they are not on disk. */
  Optional<VolumeView> volume();

  /** When the disk will be full. */
  default Figure<Runway> runway() {
    return volume()
        .map(VolumeView::runway)
        .orElseGet(() -> Figure.unknown("queues are not on disk"));
  }

  /**
   * The time until the disk is full if that many bytes per second were added. Takes a few
   * milliseconds.
   */
  Figure<Until> fullWith(double extraBytesPerSecond);

  /**
   * The volume of the queues.
   *
   * @param volume its name for display, such as the mount point
   * @param sizes its sizes now
   * @param runway renewed once a minute, and every few seconds if it is short
   * @param next the file that is deleted first
   * @param enough the files after whose deletion messages are accepted again; empty if all are not
   *     enough, and while nothing has to be freed
   * @param othersShare the part of others in its growth, 0 to 1
   */
  record VolumeView(
      String volume,
      Figure<Volume> sizes,
      Figure<Runway> runway,
      Optional<FileRetention.Next> next,
      Optional<FileRetention.Next> enough,
      Figure<Double> othersShare) {

    public Figure<Long> sizeBytes() {
      return sizes.map(Volume::sizeBytes);
    }

    public Figure<Long> usedBytes() {
      return sizes.map(Volume::usedBytes);
    }

    /** The use at which messages are refused. */
    public Figure<Long> stopBytes() {
      return sizes.map(Volume::stopBytes);
    }

    /** The bytes to free until messages are accepted again; 0 if enough are free. */
    public Figure<Long> toFreeBytes() {
      return sizes.map(Volume::toFreeBytes);
    }
  }
}
