/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Level;

final class Testing {

  private Testing() {}

  /** Small blocks, and no demands on the disk of the machine the tests run on. */
  static ChronicleBackend.Options options(Level level) {
    return ChronicleBackend.Options.defaults()
        .withLevel(level)
        .withMinFree(0, 0)
        .withBlockBytes(8 << 20);
  }
}
