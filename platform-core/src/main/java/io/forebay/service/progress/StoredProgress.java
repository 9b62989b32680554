/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import java.nio.ByteBuffer;

/** The progress that a component stores with its effects. */
public final class StoredProgress implements PartitionProgress {

  private final Resumable component;
  private final Checksum checksum = new Checksum();

  public StoredProgress(Resumable component) {
    this.component = component;
  }

  @Override
  public Resumable.Progress resume(Comparison comparison) {
    return component.resume(
        new Resumable.Start(
            comparison.tailer().partition(),
            comparison.in().partitions(),
            comparison.in().identity(),
            comparison.tailer().position(),
            comparison.passed(),
            comparison.lastAnswered()));
  }

  @Override
  public int atMost(int maxBatch) {
    return component.atMost(maxBatch);
  }

  @Override
  public void performs(long position, ByteBuffer message) {
    component.performs(position, checksum.of(message));
  }

  @Override
  public void answered(long position) {
    component.answered(position);
  }

  @Override
  public void idle(long position) {
    component.idle();
  }

  @Override
  public void drained(long position) {
    component.drained();
  }
}
