/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.operations.Audit;
import io.forebay.operations.failures.DeadLetters;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Messages that a service gave up. */
@RestController
@RequestMapping("/api/v1/dead-letters")
final class DeadLettersController extends ReplayController {

  DeadLettersController(DeadLetters letters, Audit audit) {
    super("dead-letter", letters, audit);
  }
}
