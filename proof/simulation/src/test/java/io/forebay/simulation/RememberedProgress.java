/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.service.progress.HostedProgress;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Outlives the processes, as the files or the table do. */
final class RememberedProgress implements HostedProgress {

  private final boolean shared;
  private final Map<String, Map<Integer, Entry>> entries = new HashMap<>();

  RememberedProgress(boolean shared) {
    this.shared = shared;
  }

  @Override
  public boolean isShared() {
    return shared;
  }

  @Override
  public Map<Integer, Entry> find(String service) {
    return Map.copyOf(entries.getOrDefault(service, Map.of()));
  }

  @Override
  public void keep(String service, int partition, Entry entry) {
    entries.computeIfAbsent(service, _ -> new TreeMap<>()).put(partition, entry);
  }
}
