/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.failures.FailedStatements;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Statements that failed. */
@RestController
@RequestMapping("/api/v1/failed")
final class FailedStatementsController extends ReplayController {

  FailedStatementsController(FailedStatements failed, Audit audit) {
    super("failed", failed, audit);
  }
}
