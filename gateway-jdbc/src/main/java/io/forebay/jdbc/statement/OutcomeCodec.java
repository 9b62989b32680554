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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes as the ledger keeps them: a CBOR array with a {@link Run} for adjacent messages with
 * equal outcomes, so that a thousand inserts take less than ten bytes. Each run is an array of the
 * number of positions between it and the one before, the number of its messages, and the outcomes
 * of each of them.
 */
public final class OutcomeCodec {

  private static final int COUNTS = 0;
  private static final int FAILED = 1;
  private static final int ROWS = 2;
  private static final int UNANSWERED = 3;

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
   * The outcomes of the statements of a transaction.
   *
   * @param from the first position of the batch
   * @throws PerformAgain if several messages take more bytes than a transaction keeps
   */
  public static byte[] encode(Batch batch, long from) {
    List<List<@Nullable Object>> encoded = new ArrayList<>();
    long next = from;
    long bytes = 0;
    for (Run run : runs(batch)) {
      List<@Nullable Object> fields = new ArrayList<>(List.of(run.first - next, run.messages));
      for (Outcome outcome : run.outcomes) {
        fields.add(value(outcome));
        bytes += outcome.answerBytes();
      }
      batch.mustTake(bytes, run.first);
      encoded.add(fields);
      next = run.end();
    }
    return Values.encode(encoded);
  }

  private static List<Run> runs(Batch batch) {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < batch.size(); ) {
      int each = batch.endOfMessage(i) - i;
      int end = i + each;
      while (continues(batch, end, each)) {
        end += each;
      }
      List<Outcome> outcomes =
          IntStream.range(i, i + each).mapToObj(index -> outcome(batch, index)).toList();
      runs.add(new Run(batch.get(i).position(), (end - i) / each, outcomes));
      i = end;
    }
    return runs;
  }

  /**
   * Whether the message before an index has a next one with equal outcomes.
   *
   * @param each the number of its statements
   */
  private static boolean continues(Batch batch, int index, int each) {
    if (index == batch.size()
        || batch.get(index).position() != batch.get(index - 1).position() + 1
        || batch.endOfMessage(index) != index + each) {
      return false;
    }
    for (int i = index; i < index + each; i++) {
      if (!outcome(batch, i).equals(outcome(batch, i - each))) {
        return false;
      }
    }
    return true;
  }

  private static Outcome outcome(Batch batch, int index) {
    return Objects.requireNonNull(batch.get(index).outcome());
  }

  /** One outcome. */
  public static byte[] encodeWhole(Outcome outcome) {
    return Values.encode(value(outcome));
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

  private static Object value(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Count(long count) -> count;
      case Outcome.Counts(long[] counts) ->
          LongStream.concat(LongStream.of(COUNTS), LongStream.of(counts)).boxed().toList();
      case Outcome.Failed(SqlFailure failure, boolean query, _) -> value(failure, query);
      case Outcome.Result result -> List.of(ROWS, result.encoded());
      case Outcome.Unanswered _ -> List.of(UNANSWERED);
    };
  }

  /** The names are at the end, and only if there are any. */
  private static List<@Nullable Object> value(SqlFailure failure, boolean query) {
    List<@Nullable Object> fields =
        new ArrayList<>(
            List.of(
                FAILED,
                query,
                failure.sqlState(),
                (long) failure.vendorCode(),
                failure.kind().name(),
                failure.message()));
    FailedObject on = failure.on();
    if (on != null) {
      fields.addAll(Arrays.asList(on.constraint(), on.table(), on.column()));
    }
    return fields;
  }

  private static Outcome outcome(@Nullable Object value) {
    if (value instanceof Long count) {
      return Outcome.Count.of(count);
    }
    List<@Nullable Object> fields = list(value);
    return switch ((int) number(fields.get(0))) {
      case COUNTS ->
          new Outcome.Counts(fields.stream().skip(1).mapToLong(OutcomeCodec::number).toArray());
      case FAILED -> new Outcome.Failed(failure(fields), Boolean.TRUE.equals(fields.get(1)));
      case ROWS -> new Outcome.Result((byte[]) Objects.requireNonNull(fields.get(1)));
      case UNANSWERED -> Outcome.UNANSWERED;
      default ->
          throw new IllegalStateException(
              "the ledger holds an outcome of an unknown kind " + fields.getFirst());
    };
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
