/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.jdbc.SqlFailure;
import java.util.EnumMap;
import java.util.Map;

/**
 * The numbers of statements by outcome.
 *
 * @param done how many took effect
 * @param failed how many failed, by the kind of failure; without kinds that have none
 */
public record ResultCounts(long done, Map<SqlFailure.Kind, Long> failed) {

  public static final ResultCounts NONE = new ResultCounts(0, Map.of());

  public ResultCounts {
    failed = Map.copyOf(failed);
  }

  /** How many ended. */
  public long total() {
    return done + failed.values().stream().mapToLong(Long::longValue).sum();
  }

  public ResultCounts plus(ResultCounts others) {
    Map<SqlFailure.Kind, Long> sum = new EnumMap<>(SqlFailure.Kind.class);
    sum.putAll(failed);
    others.failed.forEach((kind, count) -> sum.merge(kind, count, Long::sum));
    return new ResultCounts(done + others.done, sum);
  }
}
