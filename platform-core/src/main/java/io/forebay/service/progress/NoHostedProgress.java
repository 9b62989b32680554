/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import java.util.Map;

enum NoHostedProgress implements HostedProgress {
  INSTANCE;

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public Map<Integer, Entry> find(String service) {
    return Map.of();
  }

  @Override
  public void keep(String service, int partition, Entry entry) {}
}
