/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.AnswerTransactions;
import io.forebay.operations.StartRefused;
import io.forebay.service.progress.Unavailable;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Answers in transactions of Spring. A receiver takes part if it uses the same data source through
 * Spring, for example with a {@link JdbcTemplate}. The positions are in this table, which must
 * exist before the services start:
 *
 * <pre>
 * create table forebay_received (
 *   queue varchar(300) not null, partition_number int not null, position bigint not null,
 *   primary key (queue, partition_number))
 * </pre>
 *
 * Thread-safe.
 */
public final class JdbcAnswerTransactions implements AnswerTransactions {

  private static final Logger log = LoggerFactory.getLogger(JdbcAnswerTransactions.class);
  private static final String TABLE =
      "create table forebay_received (queue varchar(300) not null, partition_number int not null,"
          + " position bigint not null, primary key (queue, partition_number))";
  private static final DefaultTransactionDefinition NESTED =
      new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED);

  private final JdbcTemplate jdbc;
  private final PlatformTransactionManager transactions;

  /**
   * @param database the receiver's
   * @param transactions the manager of its transactions; it must support savepoints, as {@link
   *     org.springframework.jdbc.support.JdbcTransactionManager} does
   */
  public JdbcAnswerTransactions(DataSource database, PlatformTransactionManager transactions) {
    this.jdbc = new JdbcTemplate(database);
    this.transactions = transactions;
  }

  @Override
  public void mustBeUsable() {
    try {
      jdbc.queryForList(
          "select queue, partition_number, position from forebay_received where 1 = 0");
    } catch (BadSqlGrammarException e) {
      throw new StartRefused(
          "Table forebay_received of JdbcAnswerTransactions cannot be read (%s); create it in the database of the receivers, and let their user select, insert and update: %s"
              .formatted(e.getMostSpecificCause().getMessage(), TABLE));
    } catch (DataAccessException e) {
      log.debug("Table forebay_received could not be checked; answers wait for its database", e);
    }
  }

  @Override
  public OptionalLong position(String queueId, int partition) {
    List<Long> stored =
        ask(() ->
            jdbc.queryForList(
                "select position from forebay_received where queue = ? and partition_number = ?",
                Long.class,
                queueId,
                partition));
    return stored.isEmpty() ? OptionalLong.empty() : OptionalLong.of(stored.getFirst());
  }

  @Override
  public Transaction begin() {
    TransactionStatus all = ask(() -> transactions.getTransaction(null));
    return new Transaction() {

      @Override
      public void deliver(Runnable delivery) {
        TransactionStatus one = ask(() -> transactions.getTransaction(NESTED));
        try {
          delivery.run();
        } catch (RuntimeException | Error e) {
          ask(() -> {
            transactions.rollback(one);
            return true;
          });
          if (e instanceof TransientDataAccessException) { // such as a deadlock
            throw failed(e);
          }
          throw e;
        }
        ask(() -> {
          transactions.commit(one);
          return true;
        });
      }

      @Override
      public void commit(String queueId, int partition, OptionalLong from, long to) {
        ask(() -> {
          if (store(queueId, partition, from, to) != 1) {
            throw new Unavailable(
                "another instance has meanwhile received answers of partition %d of %s; this transaction is rolled back"
                    .formatted(partition, queueId),
                null);
          }
          transactions.commit(all);
          return true;
        });
      }

      @Override
      public void rollback() {
        if (!all.isCompleted()) {
          ask(() -> {
            transactions.rollback(all);
            return true;
          });
        }
      }
    };
  }

  private int store(String queueId, int partition, OptionalLong from, long to) {
    return from.isEmpty()
        ? jdbc.update(
            "insert into forebay_received (queue, partition_number, position) values (?, ?, ?)",
            queueId,
            partition,
            to)
        : jdbc.update(
            "update forebay_received set position = ? where queue = ? and partition_number = ? and position = ?",
            to,
            queueId,
            partition,
            from.getAsLong());
  }

  private static <R> R ask(Supplier<R> step) {
    try {
      return step.get();
    } catch (DataAccessException | TransactionException e) {
      throw failed(e);
    }
  }

  private static Unavailable failed(Throwable cause) {
    return new Unavailable(
        "the database of the receiver failed; answers are delivered when it works: "
            + cause.getMessage(),
        cause);
  }
}
