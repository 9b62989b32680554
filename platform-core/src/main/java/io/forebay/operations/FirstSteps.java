/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What leads from a first start to the first statement, for the admin page. Thread-safe. */
public interface FirstSteps {

  /**
   * @param credentials the file that has the first token and password; null if there is none
   * @param catalogue the file in which an operator defines statements
   * @param areExamples whether the statements are examples that come with the process
   * @param request an example for curl: its path, which begins in a quotation mark and ends it, and
   *     further options
   */
  record View(@Nullable Path credentials, Path catalogue, boolean areExamples, String request) {}

  /** The present state. Called every second. */
  View now();
}
