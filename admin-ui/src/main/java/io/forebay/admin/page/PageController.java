/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import io.forebay.admin.AdminAccess;
import io.forebay.web.ForebayController;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Serves the admin page and its files without authentication: they contain only what is in the jar.
 * The address of each screen returns the page.
 */
@ForebayController
@RequestMapping(produces = MediaType.ALL_VALUE)
final class PageController {

  private static final int FOLDER = "/admin/v/".length();
  private static final String KEPT_FOR_EVER = "public, max-age=31536000, immutable";

  private final PageFiles files;

  /**
   * @param contextPath of the application; empty if it has none
   * @throws IOException if the files of the jar cannot be read
   */
  PageController(String contextPath) throws IOException {
    files = PageFiles.read(contextPath);
  }

  /** Redirects to the folder of the page. */
  @GetMapping("/admin")
  void folder(HttpServletRequest request, HttpServletResponse response) {
    response.setStatus(HttpServletResponse.SC_FOUND);
    response.setHeader(HttpHeaders.LOCATION, request.getContextPath() + "/admin/");
  }

  @GetMapping({"/admin/", AdminAccess.SCREENS})
  void screen(HttpServletRequest request, HttpServletResponse response) throws IOException {
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    response.setHeader("Content-Security-Policy", files.policy());
    send(files.index(), request, response);
  }

  /** Sets headers instead of adding them, because the default headers are already present. */
  @GetMapping(AdminAccess.FILES)
  void file(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String path =
        ServletRequestPathUtils.getParsedRequestPath(request).pathWithinApplication().value();
    int begin = path.indexOf('/', FOLDER) + 1;
    PageFile file =
        files.find(begin == 0 ? null : path.substring(begin)).orElseThrow(PageController::notFound);
    // A page of another version loads the rest of its files here during an upgrade.
    boolean own = begin > 0 && files.isBuild(path.substring(FOLDER, begin - 1));
    response.setHeader(HttpHeaders.CACHE_CONTROL, own ? KEPT_FOR_EVER : "no-store");
    send(file, request, response);
  }

  private static ResponseStatusException notFound() {
    return new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such file.");
  }

  private static void send(PageFile file, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String accepted = request.getHeader(HttpHeaders.ACCEPT_ENCODING);
    boolean gzip = accepted != null && accepted.contains("gzip");
    byte[] bytes = gzip ? file.gzipped() : file.bytes();
    response.setContentType(file.type());
    response.setHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
    if (gzip) {
      response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
