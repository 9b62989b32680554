/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import java.time.Duration;

/**
 * Cuts a batch into transactions. It is one as long as batches end in good time. Where statements
 * are slow, a transaction has only as many as are expected to end within a third of the time that
 * one statement has; so the time-outs of the connection, which a JDBC batch has to keep as a whole,
 * do not end it. For one thread.
 */
public final class Pieces {

  private static final int GROWTH = 4;

  private final long targetNanos;
  private long limit = Long.MAX_VALUE;

  /**
   * @param statementTimeout how long one statement may take
   */
  public Pieces(Duration statementTimeout) {
    targetNanos = statementTimeout.toNanos() / 3;
  }

  /**
   * What is performed in one transaction.
   *
   * @param to the position behind it
   * @param last whether it is the end of the batch
   */
  public record Piece(Batch statements, long to, boolean last) {

    /** Whether it cannot be made smaller. */
    public boolean isOneMessage() {
      int size = statements.size();
      return size == 0 || statements.get(0).position() == statements.get(size - 1).position();
    }
  }

  /** The piece in hand; if there is none, the first one of what is left of the batch. */
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

  /** The piece in hand is committed; what it took sizes the next. */
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

  /** What a transaction is to take at most. */
  public long targetNanos() {
    return targetNanos;
  }

  /** The piece in hand did not commit: it has too many statements. */
  public void atMost(Batch batch, int statements) {
    limit = Math.max(1, statements);
    batch.piece = null;
  }

  /** The piece in hand did not end in its time: the next one is one message. */
  public void tookTooLong(Batch batch) {
    limit = 1;
    batch.piece = null;
  }
}
