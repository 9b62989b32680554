/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which results {@link DoorClient#results} returns.
 *
 * @param from {@link ResultPage#next} of an earlier page, {@link #START} or {@link #END}
 * @param gateway null for the first one
 * @param stream only the lines of this stream; null for all statements
 * @param limit the most results of a page, from 1 to 10,000; default 1,000. A page also ends at 1
 *     MB
 */
public record ResultQuery(
    String from, @Nullable String gateway, @Nullable String stream, int limit) {

  /** The first result that is kept. */
  public static final String START = "start";

  /** Only the results from now on. */
  public static final String END = "end";

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming all violations
   */
  public ResultQuery {
    List<String> violations = new ArrayList<>();
    if (from.isEmpty()) {
      violations.add("from is empty");
    }
    if (limit < 1 || limit > 10_000) {
      violations.add("limit is " + limit + ", allowed: 1 to 10000");
    }
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", violations));
    }
  }

  public static ResultQuery from(String position) {
    return new ResultQuery(position, null, null, 1_000);
  }

  public ResultQuery withFrom(String position) {
    return new ResultQuery(position, gateway, stream, limit);
  }

  public ResultQuery withGateway(String name) {
    return new ResultQuery(from, name, stream, limit);
  }

  public ResultQuery withStream(String name) {
    return new ResultQuery(from, gateway, name, limit);
  }

  public ResultQuery withLimit(int most) {
    return new ResultQuery(from, gateway, stream, most);
  }
}
