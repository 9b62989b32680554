/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The files of the admin page, from the class path, for tests without a server. */
final class PageSource {

  static final String ORIGIN = "http://page.test";
  private static final String PAGE = "/io/forebay/admin/page";

  private PageSource() {}

  /**
   * A file of the page.
   *
   * @param path from the root of the page, such as {@code /app/main.js}
   * @throws FileNotFoundException if there is none
   */
  static byte[] file(String path) throws IOException {
    return resource(PAGE + path);
  }

  static byte[] resource(String name) throws IOException {
    try (InputStream file = PageSource.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new FileNotFoundException(name);
      }
      return file.readAllBytes();
    }
  }

  /** The document, whose files are below {@code root}. */
  static String index(String root) throws IOException {
    return new String(file("/index.html"), StandardCharsets.UTF_8)
        .replace("/admin/v/@build@", root);
  }

  static String type(String path) {
    return switch (path.substring(path.lastIndexOf('.') + 1)) {
      case "css" -> "text/css";
      case "json" -> "application/json";
      case "svg" -> "image/svg+xml";
      default -> "text/javascript";
    };
  }
}
