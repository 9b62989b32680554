/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.value.Values;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes as the ledger keeps them: one CBOR array per batch, with an entry per run of equal
 * outcomes, so that a thousand inserts take some ten bytes.
 */
public final class OutcomeCodec {

  /**
   * The maximum bytes of the results of one batch, beyond those whose query cannot be run again.
   */
  private static final int MAX_INLINE_IN_BATCH = 1 << 20;

  private static final long COUNT = 0;
  private static final long COUNTS = 1;
  private static final long FAILED = 2;
  private static final long ROWS = 3;
  private static final long ASK_AGAIN = 4;
  private static final long UNANSWERED = 5;

  /** Not an outcome but the positions of all messages. */
  private static final long POSITIONS = 6;

  private OutcomeCodec() {}

  /**
   * The outcomes of a batch.
   *
   * @param positions that of the message of each outcome, in the same order
   */
  public record Kept(List<Outcome> outcomes, long[] positions) {}

  /**
   * The outcomes of the statements that were not recalled, in order.
   *
   * @param from the first position of the batch
   * @param to the position behind it
   */
  public static byte[] encode(Batch batch, long from, long to, int inlineBytes, SqlRules rules) {
    List<Object> entries = new ArrayList<>();
    Outcome previous = null;
    long repeated = 0;
    long kept = 0;
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      if (statement.recalled) {
        continue;
      }
      Outcome outcome = Objects.requireNonNull(statement.outcome);
      if (outcome instanceof Outcome.Result result) {
        int length = result.encoded().length;
        boolean large = length > inlineBytes || kept + length > MAX_INLINE_IN_BATCH;
        if (large && rules.mayBeAskedAgain(statement.sql)) {
          outcome = Outcome.ASK_AGAIN;
        } else {
          kept += length;
        }
      }
      if (previous != null && outcome.equals(previous)) {
        repeated++;
        continue;
      }
      if (previous != null) {
        entries.add(entry(previous, repeated));
      }
      previous = outcome;
      repeated = 1;
    }
    if (previous != null) {
      entries.add(entry(previous, repeated));
    }
    List<Object> runs = PositionRuns.of(batch, from, to);
    if (!runs.isEmpty()) {
      runs.addFirst(POSITIONS);
      entries.add(runs);
    }
    return Values.encode(entries);
  }

  /** One outcome with all its rows, regardless of size. */
  public static byte[] encodeWhole(Outcome outcome) {
    return Values.encode(List.of(entry(outcome, 1)));
  }

  public static byte[] encodeRows(Rows rows) {
    return Values.encode(List.of(rows.columns(), rows.values()));
  }

  /** The outcome that {@link #encodeWhole} encoded. */
  public static Outcome decodeWhole(byte[] bytes) {
    return decode(bytes, 0, 1).outcomes().getFirst();
  }

  /**
   * @param from the first position of the batch
   * @param to the position behind it
   */
  public static Kept decode(byte[] bytes, long from, long to) {
    List<Outcome> outcomes = new ArrayList<>();
    List<@Nullable Object> runs = List.of();
    for (Object entry : list(Values.decode(bytes))) {
      List<@Nullable Object> fields = list(entry);
      if (number(fields.get(0)) == POSITIONS) {
        runs = fields.subList(1, fields.size());
        continue;
      }
      Outcome outcome = outcome(fields);
      for (long i = number(fields.get(1)); i > 0; i--) {
        outcomes.add(outcome);
      }
    }
    return new Kept(outcomes, PositionRuns.positions(runs, from, to, outcomes.size()));
  }

  private static List<? extends @Nullable Object> entry(Outcome outcome, long repeated) {
    return switch (outcome) {
      case Outcome.Count c -> List.of(COUNT, repeated, c.count());
      case Outcome.Counts c -> {
        List<Object> fields = new ArrayList<>(List.of(COUNTS, repeated));
        for (long count : c.counts()) {
          fields.add(count);
        }
        yield fields;
      }
      case Outcome.Failed f -> failed(f.failure(), f.query(), repeated);
      case Outcome.Result r -> List.of(ROWS, repeated, r.encoded());
      case Outcome.AskAgain _ -> List.of(ASK_AGAIN, repeated);
      case Outcome.Unanswered _ -> List.of(UNANSWERED, repeated);
    };
  }

  /** The names are at the end, and only if there are any. */
  private static List<@Nullable Object> failed(SqlFailure failure, boolean query, long repeated) {
    List<@Nullable Object> fields =
        new ArrayList<>(
            List.of(
                FAILED,
                repeated,
                query,
                failure.sqlState(),
                (long) failure.vendorCode(),
                failure.kind().name(),
                failure.message()));
    FailedObject on = failure.on();
    if (on != null) {
      fields.add(on.constraint());
      fields.add(on.table());
      fields.add(on.column());
    }
    return fields;
  }

  private static @Nullable FailedObject failedOn(List<@Nullable Object> fields) {
    return fields.size() < 10
        ? null
        : new FailedObject((String) fields.get(7), (String) fields.get(8), (String) fields.get(9));
  }

  private static Outcome outcome(List<@Nullable Object> fields) {
    long kind = number(fields.get(0));
    if (kind == COUNT) {
      return Outcome.Count.of(number(fields.get(2)));
    }
    if (kind == COUNTS) {
      return new Outcome.Counts(fields.stream().skip(2).mapToLong(OutcomeCodec::number).toArray());
    }
    if (kind == FAILED) {
      return new Outcome.Failed(
          new SqlFailure(
              text(fields.get(3)),
              Math.toIntExact(number(fields.get(4))),
              SqlFailure.Kind.valueOf(text(fields.get(5))),
              text(fields.get(6)),
              failedOn(fields)),
          Boolean.TRUE.equals(fields.get(2)));
    }
    if (kind == ROWS) {
      byte[] encoded = (byte[]) Objects.requireNonNull(fields.get(2));
      return Outcome.Result.of(rows(encoded), encoded);
    }
    if (kind == ASK_AGAIN || kind == UNANSWERED) {
      return kind == ASK_AGAIN ? Outcome.ASK_AGAIN : Outcome.UNANSWERED;
    }
    throw new IllegalStateException("the ledger holds an outcome of an unknown kind " + kind);
  }

  static Rows rows(byte[] encoded) {
    List<@Nullable Object> fields = list(Values.decode(encoded));
    List<String> columns = list(fields.get(0)).stream().map(OutcomeCodec::text).toList();
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (Object row : list(fields.get(1))) {
      values.add(list(row));
    }
    return new Rows(columns, values);
  }

  @SuppressWarnings("unchecked")
  private static List<@Nullable Object> list(@Nullable Object value) {
    return (List<@Nullable Object>) Objects.requireNonNull(value);
  }

  private static long number(@Nullable Object value) {
    return (Long) Objects.requireNonNull(value);
  }

  private static String text(@Nullable Object value) {
    return (String) Objects.requireNonNull(value);
  }
}
