/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.text.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The files beside this class, read once at the start; less than a megabyte. No path can reach any
 * other file. Immutable.
 *
 * <p>{@code index.html} names the others below {@code /admin/v/@build@/}, where {@code @build@} is
 * replaced by a hash over all files, so that browsers may cache them for ever. If the application
 * has a context path, the addresses in the files begin with it.
 */
final class PageFiles {

  private static final String FOLDER = "io/forebay/admin/page/";
  private static final String INDEX = "index.html";
  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

  /** The begin of an address of the page, in quotation marks. */
  private static final Pattern ADDRESS = Pattern.compile("(?<=['\"])/admin(?=[/'\"])");

  private final Map<String, PageFile> files = new TreeMap<>();
  private final String build;
  private final PageFile index;
  private final String policy;

  private PageFiles(Map<String, byte[]> contents, String contextPath) {
    MessageDigest all = Sha256.digest();
    contents.forEach((name, bytes) -> {
      all.update(name.getBytes(UTF_8));
      all.update(bytes);
    });
    build = HexFormat.of().formatHex(all.digest(), 0, 8);
    byte[] page = contents.get(INDEX);
    if (page == null) {
      throw new IllegalStateException("the jar has no " + FOLDER + INDEX);
    }
    String html = new String(withContextPath(page, contextPath), UTF_8).replace("@build@", build);
    index = PageFile.of(PageFile.type(INDEX).orElseThrow(), html.getBytes(UTF_8));
    policy = policy(html);
    contents.forEach((name, bytes) ->
        PageFile.type(name)
            .filter(_ -> !name.equals(INDEX))
            .ifPresent(
                type -> files.put(name, PageFile.of(type, withContextPath(bytes, contextPath)))));
  }

  private static byte[] withContextPath(byte[] file, String contextPath) {
    return contextPath.isEmpty()
        ? file
        : ADDRESS
            .matcher(new String(file, UTF_8))
            .replaceAll(Matcher.quoteReplacement(contextPath + "/admin"))
            .getBytes(UTF_8);
  }

  /**
   * @param contextPath of the application, such as {@code /shop}; empty if it has none
   * @throws IOException if the files of the jar cannot be read
   */
  static PageFiles read(String contextPath) throws IOException {
    Map<String, byte[]> contents = new TreeMap<>();
    for (Resource resource :
        new PathMatchingResourcePatternResolver(PageFiles.class.getClassLoader())
            .getResources("classpath*:" + FOLDER + "**/*.*")) {
      String url = resource.getURL().toString();
      String name = url.substring(url.lastIndexOf(FOLDER) + FOLDER.length());
      if (PageFile.type(name).isPresent()) {
        try (InputStream in = resource.getInputStream()) {
          contents.put(name, in.readAllBytes());
        }
      }
    }
    return new PageFiles(contents, contextPath);
  }

  /** Allows only the page's own files and its one inline script, the import map. */
  private static String policy(String html) {
    Matcher map = IMPORT_MAP.matcher(html);
    String hash =
        map.find()
            ? " 'sha256-"
                + Base64.getEncoder()
                    .encodeToString(Sha256.digest().digest(map.group(1).getBytes(UTF_8)))
                + "'"
            : "";
    return "default-src 'none'; script-src 'self'"
        + hash
        + "; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        + " font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
  }

  /** The page. */
  PageFile index() {
    return index;
  }

  /** Whether an address below {@code /admin/v/} names these files, and not another version. */
  boolean isBuild(String name) {
    return build.equals(name);
  }

  /** The Content-Security-Policy of the page. */
  String policy() {
    return policy;
  }

  /** A file that the page loads, by its path. */
  Optional<PageFile> find(@Nullable String path) {
    return path == null ? Optional.empty() : Optional.ofNullable(files.get(path));
  }
}
