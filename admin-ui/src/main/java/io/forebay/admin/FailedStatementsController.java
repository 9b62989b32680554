/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Statements that failed. */
@RestController
@RequestMapping("/api/v1/failed")
final class FailedStatementsController {

  private final FailuresResource failures;

  FailedStatementsController(FailuresResource failures) {
    this.failures = failures;
  }

  @GetMapping
  Failures.Page list(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String before,
      @RequestParam(defaultValue = FailuresResource.DEFAULT_LIMIT) int limit,
      HttpServletRequest request) {
    return failures.list(service, before, limit, request);
  }

  @GetMapping("/{id}")
  Failure one(@PathVariable String id, HttpServletRequest request) {
    return failures.one(id, request);
  }

  @PostMapping("/{id}/replay")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Failure replay(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return failures.replay(id, command, request);
  }
}
