/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

/**
 * A place in the files of the catalogue.
 *
 * @param line from 1
 */
public record SourceLine(String file, int line) {

  @Override
  public String toString() {
    return file + ":" + line;
  }
}
