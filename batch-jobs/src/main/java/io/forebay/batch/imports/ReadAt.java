/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a file. */
@FunctionalInterface
interface ReadAt {

  /**
   * Reads some bytes from a position.
   *
   * @return how many; negative at the end of the file
   */
  int read(ByteBuffer target, long from) throws IOException;
}
