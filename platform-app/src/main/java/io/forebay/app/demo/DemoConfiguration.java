/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import io.forebay.call.Message;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.queue.QueueBackend;
import io.forebay.service.ServiceOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Profile;

/**
 * Adds to the gateways of application-demo.yaml one on a slow database, and two services of its own
 * that are a pipeline with one of those gateways.
 */
@Configuration(proxyBeanMethods = false)
@Profile("demo")
class DemoConfiguration {

  private static final Duration ROW = Duration.ofMillis(6);
  private static final Duration SLOW_ROW = Duration.ofMillis(40);
  private static final Duration MAIL = Duration.ofMillis(8);
  private static final Duration KEPT = Duration.ofHours(1);
  private static final int BATCH = 25;

  @Bean
  DemoDay demoDay() {
    return new DemoDay();
  }

  /** The stock gateway. Its tables are created with those of the orders. */
  @Bean
  @DependsOn("ordersGateway")
  JDBCService stockGateway(EmbeddedDatabase database, QueueBackend backend, DemoDay day) {
    return JDBCService.builder("stock")
        .queues(backend, 1)
        .dataSource(new SlowDatabase(database.gateway(), () -> day.now().slow() ? SLOW_ROW : ROW))
        .migrate(database.owner())
        .resultsKept(KEPT)
        .options(ServiceOptions.defaults().withMaxBatch(BATCH))
        .build();
  }

  /** The client through which the HTTP door uses the gateway. */
  @Bean
  StatementClient stockClient(@Qualifier("stockGateway") JDBCService stock) {
    return stock.createClient();
  }

  /** A mail server that accepts one mail after the other, each in a few milliseconds. */
  @Bean
  ServiceDefinition<Mail, MailAnswers> mail() {
    return ServiceDefinition.of(
            "mail",
            Mail.class,
            MailAnswers.class,
            answers ->
                (to, _) -> {
                  LockSupport.parkNanos(MAIL.toNanos());
                  answers.sent(to);
                })
        .withAnswersKept(KEPT)
        .withOptions(ServiceOptions.defaults().withMaxBatch(BATCH).withHistoryOneIn(1));
  }

  /** The next stage: it notes each mail, in the database of gateway journal. */
  @Bean
  ServiceDefinition<MailAnswers, JDBCStatement> tracking(
      ServiceDefinition<Mail, MailAnswers> mail) {
    return ServiceDefinition.<MailAnswers, JDBCStatement>of(
            "tracking",
            MailAnswers.class,
            JDBCStatement.class,
            statements ->
                to ->
                    statements.executeUpdate(
                        Shop.NOTE_MAIL, Message.current().id(), to, Instant.now()))
        .from(mail)
        .withAnswersKept(KEPT);
  }

  @Bean
  DemoTraffic demoTraffic(
      @Qualifier("orders") JDBCStatement orders,
      @Qualifier("payments") JDBCStatement payments,
      @Qualifier("stockGateway") JDBCService stock,
      Mail mail,
      DemoDay day) {
    return new DemoTraffic(
        new Shop(orders, payments, stock.createWriter(), mail, RandomGenerator.getDefault()), day);
  }
}
