/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Runway;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.util.List;

/**
 * The disks and the memory that services share. Every answer is as of the last sample or forecast
 * and costs nothing to ask. Thread-safe.
 */
public interface Host {

  /**
   * The volumes with queues on them, in the order of their names; none where queues are not on
   * disk.
   */
  List<VolumeView> volumes();

  /** Memory that waits to be written to disk. */
  DirtyMemory memory();

  /** Until the disk of a service is full, low edge of the forecast. */
  Figure<Until> fullLow(String service);

  /**
   * Until its disk is full if so many bytes per second came on top. A few milliseconds of
   * computing.
   */
  Figure<Until> fullWith(String service, double extraBytesPerSecond);

  /** What part of the growth of its volume is its queues', 0 to 1. */
  Figure<Double> growthShare(String service);

  /**
   * A volume.
   *
   * @param name for people, such as the mount point
   * @param volume its sizes now
   * @param runway made anew once a minute
   */
  record VolumeView(String name, Figure<Volume> volume, Figure<Runway> runway) {}
}
