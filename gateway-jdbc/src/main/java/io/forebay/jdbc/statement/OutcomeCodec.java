/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.call.value.Cbor;
import io.forebay.call.value.CborOutput;
import io.forebay.call.value.Values;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes as the ledger keeps them: a CBOR array with a {@link Run} for adjacent messages with
 * equal outcomes, so that a thousand inserts take less than ten bytes. Each run is an array of the
 * number of positions between it and the one before, the number of its messages, and the outcomes
 * of each of them.
 */
public final class OutcomeCodec {

  private static final long COUNTS = 0;
  private static final long FAILED = 1;
  private static final long ROWS = 2;

  private OutcomeCodec() {}

  /**
   * Messages at adjacent positions whose statements have equal outcomes.
   *
   * @param first the position of the first of them
   * @param outcomes those of the statements of each message
   */
  public record Run(long first, long messages, List<Outcome> outcomes) {

    /** The position behind its last message. */
    public long end() {
      return first + messages;
    }
  }

  /**
   * The outcomes of the statements that were not recalled.
   *
   * @param from the first position of the batch
   * @throws PerformAgain if several messages take more bytes than a transaction keeps
   */
  public static byte[] encode(Batch batch, long from) {
    List<Run> runs = runs(batch);
    return CborOutput.encoded(out -> {
      out.head(Cbor.ARRAY, runs.size());
      long next = from;
      for (Run run : runs) {
        out.head(Cbor.ARRAY, 2 + run.outcomes.size());
        out.integer(run.first - next);
        out.integer(run.messages);
        run.outcomes.forEach(outcome -> write(out, outcome));
        batch.mustTake(out.at, run.first);
        next = run.end();
      }
    });
  }

  private static List<Run> runs(Batch batch) {
    List<Run> runs = new ArrayList<>();
    long first = 0;
    long messages = 0;
    int start = 0;
    int each = 0;
    for (int i = 0; i < batch.size(); ) {
      PendingStatement statement = batch.get(i);
      int begin = i;
      i = batch.endOfMessage(begin);
      if (statement.isRecalled()) {
        continue;
      }
      long position = statement.position();
      if (position != first + messages
          || i - begin != each
          || !areEqual(batch, start, begin, each)) {
        addRun(runs, first, messages, batch, start, each);
        first = position;
        messages = 0;
        start = begin;
        each = i - begin;
      }
      messages++;
    }
    addRun(runs, first, messages, batch, start, each);
    return runs;
  }

  private static boolean areEqual(Batch batch, int one, int other, int count) {
    for (int i = 0; i < count; i++) {
      if (!outcome(batch, one + i).equals(outcome(batch, other + i))) {
        return false;
      }
    }
    return true;
  }

  private static Outcome outcome(Batch batch, int index) {
    return Objects.requireNonNull(batch.get(index).outcome());
  }

  private static void addRun(
      List<Run> runs, long first, long messages, Batch batch, int start, int each) {
    if (messages > 0) {
      List<Outcome> outcomes = new ArrayList<>(each);
      for (int i = start; i < start + each; i++) {
        outcomes.add(outcome(batch, i));
      }
      runs.add(new Run(first, messages, outcomes));
    }
  }

  /** One outcome. */
  public static byte[] encodeWhole(Outcome outcome) {
    return CborOutput.encoded(out -> write(out, outcome));
  }

  public static byte[] encodeRows(Rows rows) {
    return Values.encode(List.of(rows.columns(), rows.values()));
  }

  /** The outcome that {@link #encodeWhole} encoded. */
  public static Outcome decodeWhole(byte[] bytes) {
    return outcome(Values.decode(bytes));
  }

  /**
   * The runs that {@link #encode} encoded.
   *
   * @param from the first position of the batch
   */
  public static List<Run> decode(byte[] bytes, long from) {
    List<Run> runs = new ArrayList<>();
    long next = from;
    for (Object item : list(Values.decode(bytes))) {
      List<@Nullable Object> fields = list(item);
      List<Outcome> outcomes = new ArrayList<>();
      for (Object outcome : fields.subList(2, fields.size())) {
        outcomes.add(outcome(outcome));
      }
      Run run = new Run(next + number(fields.get(0)), number(fields.get(1)), outcomes);
      runs.add(run);
      next = run.end();
    }
    return runs;
  }

  private static void write(CborOutput out, Outcome outcome) {
    switch (outcome) {
      case Outcome.Count c -> out.integer(c.count());
      case Outcome.Counts c -> {
        out.head(Cbor.ARRAY, 1 + c.counts().length);
        out.integer(COUNTS);
        for (long count : c.counts()) {
          out.integer(count);
        }
      }
      case Outcome.Failed f -> write(out, f.failure(), f.query());
      case Outcome.Result r -> {
        out.head(Cbor.ARRAY, 2);
        out.integer(ROWS);
        out.byteString(r.encoded());
      }
      case Outcome.Unanswered _ -> out.put(Cbor.NULL);
    }
  }

  /** The names are at the end, and only if there are any. */
  private static void write(CborOutput out, SqlFailure failure, boolean query) {
    FailedObject on = failure.on();
    out.head(Cbor.ARRAY, on == null ? 6 : 9);
    out.integer(FAILED);
    out.bool(query);
    text(out, failure.sqlState());
    out.integer(failure.vendorCode());
    text(out, failure.kind().name());
    text(out, failure.message());
    if (on != null) {
      text(out, on.constraint());
      text(out, on.table());
      text(out, on.column());
    }
  }

  private static void text(CborOutput out, @Nullable String text) {
    if (text == null) {
      out.put(Cbor.NULL);
    } else {
      out.text(Cbor.TEXT, text);
    }
  }

  private static Outcome outcome(@Nullable Object value) {
    if (value == null) {
      return Outcome.UNANSWERED;
    }
    if (value instanceof Long count) {
      return Outcome.Count.of(count);
    }
    List<@Nullable Object> fields = list(value);
    long kind = number(fields.get(0));
    if (kind == COUNTS) {
      return new Outcome.Counts(fields.stream().skip(1).mapToLong(OutcomeCodec::number).toArray());
    }
    if (kind == FAILED) {
      return new Outcome.Failed(failure(fields), Boolean.TRUE.equals(fields.get(1)));
    }
    if (kind == ROWS) {
      return new Outcome.Result(null, (byte[]) Objects.requireNonNull(fields.get(1)));
    }
    throw new IllegalStateException("the ledger holds an outcome of an unknown kind " + kind);
  }

  private static SqlFailure failure(List<@Nullable Object> fields) {
    return new SqlFailure(
        text(fields.get(2)),
        Math.toIntExact(number(fields.get(3))),
        SqlFailure.Kind.valueOf(text(fields.get(4))),
        text(fields.get(5)),
        fields.size() == 6
            ? null
            : new FailedObject(
                (String) fields.get(6), (String) fields.get(7), (String) fields.get(8)));
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
