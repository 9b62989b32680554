/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.util.List;

/** Answers to {@link Statements}. */
interface Results {

  void updateResult(long count);

  void updateThrown(Failure failure);

  void queryResult(List<List<Object>> rows);

  /** Why a statement failed. */
  record Failure(String sqlState, int vendorCode, Kind kind, String message) {
    enum Kind {
      CONSTRAINT,
      OUTAGE
    }
  }
}
