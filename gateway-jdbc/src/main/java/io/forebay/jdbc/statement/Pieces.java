/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import java.time.Duration;

/**
 * Makes transactions short: a batch has only as many statements as are expected to take half a
 * second, and one that takes longer all the same is split into several transactions. So results
 * arrive, locks are released and the progress shows within a second, however slow the statements
 * are; fast ones fill a batch in less time. For one thread.
 *
 * <p>The half second is that of the whole transaction. If it takes more than half of that for other
 * things, such as a commit that waits for a distant copy, the statements may take as long as those:
 * smaller transactions would perform less, and each would take nearly as long. The next transaction
 * has at most four times as many statements as before: a short one says little about a long one.
 */
public final class Pieces {

  private static final Duration TARGET = Duration.ofMillis(500);

  /** The most statements while it is unknown how long they take, as after a start. */
  public static final int FIRST = 250;

  private static final int GROWTH = 4;

  private final double target;
  private final double longest;
  private long limit = FIRST;

  /**
   * @param statementTimeout how long one statement may take; the time-outs of the connection apply
   *     to a JDBC batch as a whole
   */
  public Pieces(Duration statementTimeout) {
    longest = statementTimeout.toNanos() / 3.0;
    target = Math.min(TARGET.toNanos(), longest);
  }

  /** How many messages the next batch may have. */
  public int atMost(int maxBatch) {
    return (int) Math.min(maxBatch, limit);
  }

  /**
   * The part of a batch that one transaction performs.
   *
   * @param to the position after it
   * @param last whether it is the end of the batch
   */
  public record Piece(Batch statements, long to, boolean last) {

    /** The position of its first statement; {@link #to} without any. */
    public long from() {
      return statements.size() == 0 ? to : statements.get(0).position();
    }

    /** Whether it cannot be split further. */
    public boolean isOneMessage() {
      return statements.isOneMessage();
    }
  }

  /**
   * The first piece of the rest of the batch.
   *
   * @param oneMessage whether it has no more than one message, however fast that is
   */
  public Piece next(Batch batch, long to, boolean oneMessage) {
    int size = batch.size();
    int from = batch.firstToPerform();
    int end = from;
    if (from < size) {
      long most = oneMessage || batch.get(from).isAlone() ? 1 : limit;
      end++;
      while (end < size && end - from < most && !batch.get(end).isAlone()) {
        end++;
      }
      while (end < size && batch.get(end).position() == batch.get(end - 1).position()) {
        end++; // a message is performed as a whole
      }
    }
    if (from == 0 && end == size) {
      return new Piece(batch, to, true);
    }
    boolean last = end == size;
    return new Piece(batch.part(from, end), last ? to : batch.get(end).position(), last);
  }

  /**
   * The current piece is committed; what it took determines the size of the next.
   *
   * @param nanos what the transaction took
   * @param ofStatements the part of it that its statements took
   * @param keptBytes the bytes that its outcomes took
   */
  public void committed(Batch batch, Piece piece, long nanos, long ofStatements, long keptBytes) {
    int size = piece.statements().size();
    batch.committed(piece.last() ? batch.size() : batch.firstToPerform() + size);
    if (size > 0) {
      double rest = nanos - ofStatements;
      double forStatements = Math.min(longest, Math.max(target - rest, rest));
      double fill = Math.max((double) keptBytes / Batch.KEPT_BYTES, Double.MIN_NORMAL);
      double most = size / Math.max(ofStatements / forStatements, fill);
      limit = (long) Math.max(1, Math.min(most, Math.min(GROWTH * limit, Integer.MAX_VALUE)));
    }
  }

  /** The next piece has no more statements than this, unless they are those of one message. */
  public void limitTo(int statements) {
    limit = Math.max(1, statements);
  }
}
