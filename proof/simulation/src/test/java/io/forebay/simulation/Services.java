/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.hosting.AnswerReceiver;
import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.PreparedGateway;
import io.forebay.queue.QueueBackend;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.simulation.ServicePlan.Receivers;
import io.forebay.spring.hosting.JdbcAnswerTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The services of a process, as an application hosts them. */
final class Services {

  final DefinedService<Work, Work.Answers> first;
  private final @Nullable DefinedService<Work.Answers, JDBCStatement> second;
  private final @Nullable JDBCService last;
  private final @Nullable AnswerReceiver<Work.Answers> receiver;
  private final ServiceHistory history;

  Services(ServiceHistory history, QueueBackend backend, SimulatedProcess process, int host) {
    this.history = history;
    ServicePlan plan = history.plan;
    DataSource database = history.database.of(process);
    ServiceDefinition<Work, Work.Answers> definition = first();
    first = DefinedService.open(backend, definition, history.progress());
    second =
        plan.stages() < 2
            ? null
            : DefinedService.open(backend, second(), first, history.progress());
    last =
        plan.stages() < 3
            ? null
            : PreparedGateway.builder(ServiceHistory.LAST)
                .from(backend, Objects.requireNonNull(second))
                .acceptText(true)
                .dataSource(database)
                .migrate(database)
                .options(options())
                .build();
    receiver =
        plan.receivers() == Receivers.NONE
            ? null
            : new AnswerReceiver<>(
                definition,
                first.out(),
                history.hosts.directory(host),
                List.of(bean(database)),
                transactions(database));
  }

  private ServiceDefinition<Work, Work.Answers> first() {
    return ServiceDefinition.of(
            ServiceHistory.FIRST,
            Work.PROTOCOL,
            Work.Answers.PROTOCOL,
            (partition, answers) -> new Component(history, partition, answers))
        .withPartitions(history.plan.partitions())
        .withOptions(options())
        .withErrorPolicy(
            ErrorPolicy.defaults()
                .withFatal(IllegalArgumentException.class)
                .withDeclining(Component.Declined.class));
  }

  private ServiceDefinition<Work.Answers, JDBCStatement> second() {
    return ServiceDefinition.of(
            ServiceHistory.SECOND,
            Work.Answers.PROTOCOL,
            SecondComponent.STATEMENTS,
            (partition, statements) -> new SecondComponent(history, partition, statements))
        .from(first())
        .withOptions(options());
  }

  private ServiceOptions options() {
    return ServiceOptions.defaults()
        .withMaxBatch(history.plan.base().maxBatch())
        .withIdle(Plan::idle)
        .withRetry(Duration.ofMillis(50), Duration.ofSeconds(2));
  }

  private Work.Answers bean(DataSource database) {
    return new Receiver(
        history,
        history.plan.receivers() == Receivers.TRANSACTED ? new JdbcTemplate(database) : null);
  }

  private @Nullable AnswerTransactions transactions(DataSource database) {
    return history.plan.receivers() == Receivers.TRANSACTED
        ? new JdbcAnswerTransactions(database, new JdbcTransactionManager(database))
        : null;
  }

  void start() {
    if (receiver != null) {
      receiver.start();
    }
    first.start();
  }

  boolean haveFailed() {
    return all().anyMatch(it -> it.state().phase() == ServiceState.Phase.FAILED);
  }

  private Stream<HostedService<?, ?>> all() {
    return Stream.of(first, second, last).filter(Objects::nonNull);
  }

  void close() {
    if (receiver != null) {
      receiver.close();
    }
    if (last != null) {
      last.close();
    }
    if (second != null) {
      second.close();
    }
    first.close();
  }

  @Override
  public String toString() {
    return all().toList().toString();
  }
}
