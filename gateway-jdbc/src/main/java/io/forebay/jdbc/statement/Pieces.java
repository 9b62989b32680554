/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import java.time.Duration;

/**
 * Splits a batch into transactions. A fast batch is one transaction. If statements are slow, a
 * transaction has only as many as are expected to finish within a third of the statement time-out,
 * because the connection's time-outs apply to a JDBC batch as a whole. For one thread.
 */
public final class Pieces {

  /** The most statements while it is unknown how long they take. */
  private static final int FIRST = 2_000;

  private static final int GROWTH = 4;

  private final long targetNanos;
  private long limit = FIRST;

  /**
   * @param statementTimeout how long one statement may take
   */
  public Pieces(Duration statementTimeout) {
    targetNanos = statementTimeout.toNanos() / 3;
  }

  /**
   * The part of a batch that one transaction performs.
   *
   * @param to the position after it
   * @param last whether it is the end of the batch
   */
  public record Piece(Batch statements, long to, boolean last) {

    /** Whether it cannot be split further. */
    public boolean isOneMessage() {
      int size = statements.size();
      return size == 0 || statements.get(0).position() == statements.get(size - 1).position();
    }
  }

  /** The current piece; if there is none, the first of the rest of the batch. */
  public Piece next(Batch batch, long to) {
    Piece piece = batch.piece;
    if (piece == null) {
      piece = cut(batch, to);
      batch.piece = piece;
    }
    return piece;
  }

  private Piece cut(Batch batch, long to) {
    int size = batch.size();
    int from = batch.firstToPerform();
    long most = batch.singly ? 1 : limit;
    if (from == 0 && size <= most) {
      return new Piece(batch, to, true);
    }
    int end = (int) Math.min(size, from + Math.min(most, size));
    while (end < size && batch.get(end).position() == batch.get(end - 1).position()) {
      end++; // a message is performed as a whole
    }
    boolean last = end == size;
    return new Piece(batch.part(from, end), last ? to : batch.get(end).position(), last);
  }

  /** The current piece is committed; its duration determines the size of the next. */
  public void committed(Batch batch, Piece piece, long nanos) {
    int size = piece.statements().size();
    batch.committed(piece.last() ? batch.size() : batch.firstToPerform() + size);
    if (size > 0) {
      long affordable = Math.max(1, (long) (size * (double) targetNanos / Math.max(1, nanos)));
      limit =
          nanos > targetNanos
              ? affordable
              : Math.max(limit, Math.min(affordable, (long) GROWTH * size));
    }
  }

  /** The target for the longest duration of a transaction. */
  public long targetNanos() {
    return targetNanos;
  }

  /** The current piece did not commit: it has too many statements. */
  public void atMost(Batch batch, int statements) {
    limit = Math.max(1, statements);
    batch.piece = null;
  }

  /** The current piece timed out: the next one is one message. */
  public void tookTooLong(Batch batch) {
    limit = 1;
    batch.piece = null;
  }
}
