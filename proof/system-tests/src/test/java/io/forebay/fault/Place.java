/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

/** A message of a queue. */
public record Place(int partition, long position) {

  @Override
  public String toString() {
    return partition + "/" + position;
  }
}
