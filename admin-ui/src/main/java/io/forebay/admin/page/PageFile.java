/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the page, ready to be sent.
 *
 * @param gzipped the same bytes, compressed
 */
record PageFile(String type, byte[] bytes, byte[] gzipped) {

  /** The types of page files; files with other extensions are not served. */
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html;charset=UTF-8",
          "css", "text/css;charset=UTF-8",
          "js", "text/javascript;charset=UTF-8",
          "mjs", "text/javascript;charset=UTF-8",
          "json", "application/json",
          "svg", "image/svg+xml");

  static Optional<String> type(String name) {
    return Optional.ofNullable(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
  }

  static PageFile of(String type, byte[] bytes) {
    return new PageFile(type, bytes, gzip(bytes));
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
