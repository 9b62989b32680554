/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import io.forebay.call.history.Hop;
import io.forebay.database.EmbeddedDatabaseAutoConfiguration;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.spring.GatewayAutoConfiguration;
import io.forebay.linux.CpuBindingTest;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.validation.FieldError;

class GatewayConfigurationTest {

  @TempDir Path directory;

  /** Starts with these properties on the embedded database of the test's directory. */
  private ApplicationContextRunner with(String... properties) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                EmbeddedDatabaseAutoConfiguration.class, GatewayAutoConfiguration.class))
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(DataDirectory.class, () -> new DataDirectory(directory.resolve("data")))
        .withPropertyValues(properties);
  }

  private static StatementClient client(ConfigurableApplicationContext context, String gateway) {
    return BeanFactoryAnnotationUtils.qualifiedBeanOfType(
        context.getBeanFactory(), StatementClient.class, gateway);
  }

  private static long update(StatementClient client, String sql, Object... arguments)
      throws Exception {
    return client.executeUpdate(sql, arguments).get(120, SECONDS);
  }

  private static Rows rows(StatementClient client, String sql) throws Exception {
    return client.executeQuery(sql, Row.class).get(120, SECONDS);
  }

  @Test
  void migratesOwnTablesAndLetsTheGatewayUseThem() {
    String migrations = "forebay.gateways.orders.migrations=classpath:own-tables";
    with(migrations)
        .run(context -> {
          StatementClient client = context.getBean(StatementClient.class);
          assertThat(update(client, "insert into orders values (?, ?)", 1, "tea")).isOne();
          assertThat(update(client, "insert into shop.\"Order lines\" values (1)")).isOne();
        });
    with(migrations)
        .run(context ->
            assertThat(rows(context.getBean(StatementClient.class), "select item from orders"))
                .extracting(Rows::size)
                .isEqualTo(1));
  }

  @Test
  void migratesGatewaysOnOneDatabaseEachWithAHistoryOfItsOwn() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.writeString(other.resolve("V1__invoices.sql"), "create table invoices (id bigint)");
    with(
            "forebay.gateways.orders.migrations=classpath:own-tables",
            "forebay.gateways.invoices.migrations=filesystem:" + other)
        .run(context -> {
          update(client(context, "orders"), "insert into orders values (1, 'tea')");
          update(client(context, "invoices"), "insert into invoices values (1)");
          assertThat(context.getBean(JDBCService.class).in().name()).isEqualTo("orders.in");
        });
  }

  @Test
  void triesAMigrationAgainThatFailedAndWasRepaired() throws Exception {
    Path own = Files.createDirectory(directory.resolve("own"));
    Path second = own.resolve("V2__more.sql");
    Files.writeString(own.resolve("V1__first.sql"), "create table first (id bigint)");
    Files.writeString(second, "create tabel second (id bigint)");
    String migrations = "forebay.gateways.main.migrations=filesystem:" + own;
    with(migrations)
        .run(context ->
            assertThat(rootCause(context, StartRefused.class))
                .hasMessageContainingAll("gateway main", own.toString(), "V2__more.sql", "TABEL"));
    Files.writeString(second, "create table second (id bigint)");
    with(migrations)
        .run(context -> {
          StatementClient client = context.getBean(StatementClient.class);
          assertThat(update(client, "insert into second values (1)")).isOne();
        });
    Files.writeString(own.resolve("V1__first.sql"), "create table changed (id bigint)");
    with(migrations)
        .run(context ->
            assertThat(rootCause(context, StartRefused.class))
                .hasMessageContaining("checksum mismatch"));
  }

  private static Throwable rootCause(AssertableApplicationContext context, Class<?> type) {
    Throwable cause = context.getStartupFailure();
    while (!type.isInstance(cause)) {
      cause = Objects.requireNonNull(cause).getCause();
    }
    return cause;
  }

  @Test
  void aMigrationIsPerformedAsItIsWritten() throws Exception {
    Path own = Files.createDirectory(directory.resolve("own"));
    Files.writeString(
        own.resolve("V1__mails.sql"),
        "create table mails (text varchar(50)); insert into mails values ('Dear ${name}')");
    with("forebay.gateways.main.migrations=filesystem:" + own)
        .run(context ->
            assertThat(
                    rows(context.getBean(StatementClient.class), "select text from mails").values())
                .containsExactly(List.of("Dear ${name}")));
  }

  @Test
  void withoutAGatewayThereIsTheDefaultGatewayOnTheEmbeddedDatabase() {
    with("forebay.default-gateway=main")
        .run(context -> {
          assertThat(context.getBean(JDBCService.class).in().name()).isEqualTo("main.in");
          assertThat(context).hasSingleBean(JDBCStatement.class);
          assertThat(rows(context.getBean(StatementClient.class), "values (1)"))
              .extracting(Rows::size)
              .isEqualTo(1);
        });
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theThreadsOfAGatewayWaitAndRunAsConfigured() {
    String cpu = CpuBindingTest.oneCpu();
    with(
            "forebay.gateways.fast.partitions=2",
            "forebay.gateways.fast.idle=spin",
            "forebay.gateways.fast.cpus=" + cpu)
        .run(context -> {
          assertThat(rows(context.getBean(StatementClient.class), "values (1)"))
              .extracting(Rows::size)
              .isEqualTo(1);
          assertThat(CpuBindingTest.allowed("forebay-fast-0")).containsExactly(cpu);
          assertThat(CpuBindingTest.allowed("forebay-fast-1")).containsExactly(cpu);
        });
  }

  @Test
  void theResultsOfAGatewayCarryTheirHistoryAsConfigured() {
    with("forebay.gateways.traced.history-one-in=1")
        .run(context -> {
          rows(context.getBean(StatementClient.class), "values (1)");
          JDBCService gateway = context.getBean(JDBCService.class);
          List<Hop> hops = new ArrayList<>();
          try (Tailer results = gateway.out().tailer(0)) {
            results.poll(
                1,
                (position, result) ->
                    hops.addAll(Message.peek("traced.out", 0, position, result).history()));
          }
          assertThat(hops).extracting(Hop::service).containsExactly("traced");
        });
  }

  @Test
  void withoutAnyGatewayThereIsNoDatabase() {
    with()
        .run(context -> {
          assertThat(context).hasNotFailed().doesNotHaveBean(JDBCService.class);
          assertThat(directory.resolve("data")).doesNotExist();
        });
  }

  @Test
  void aLaneIsAServiceWithQueuesAndBeansOfItsOwn() {
    with("forebay.gateways.main.lanes.bulk.weight=2", "forebay.gateways.main.partitions=2")
        .run(context -> {
          assertThat(context.getBean(JDBCService.class).name()).isEqualTo("main");
          JDBCService lane = context.getBean("main-bulkGateway", JDBCService.class);
          assertThat(lane.in().name()).isEqualTo("main-bulk.in");
          assertThat(lane.in().partitions()).isEqualTo(2);
          assertThat(rows(client(context, "main-bulk"), "values (1)"))
              .extracting(Rows::size)
              .isEqualTo(1);
        });
  }

  @Test
  void tellsAllThatIsWrongWithItsGateways() {
    with(
            "forebay.gateways.Orders.partitions=0",
            "forebay.gateways.a.datasource.url=jdbc:nothing:here",
            "forebay.gateways.a.datasource.username=a",
            "forebay.gateways.a.migrations=classpath:own-tables",
            "forebay.gateways.b.owner.url=jdbc:hsqldb:mem:b",
            "forebay.gateways.b.statement-timeout=500ms",
            "forebay.gateways.b.results-kept=-1h",
            "forebay.gateways.b.history-one-in=-1",
            "forebay.gateways.b.cpus=0-",
            "forebay.gateways.b.lanes.Bulk.weight=0",
            "forebay.gateways.b.lanes.one.callers=web",
            "forebay.gateways.b.lanes.two.callers=web",
            "forebay.gateways.c.lanes.bulk.weight=2",
            "forebay.gateways.c-bulk.from=c",
            "forebay.gateways.c-bulk.lanes.one.weight=1")
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOfSatisfying(
                    BindValidationException.class,
                    it ->
                        assertThat(
                                it.getValidationErrors().getAllErrors().stream()
                                    .map(error ->
                                        ((FieldError) error).getField()
                                            + " "
                                            + error.getDefaultMessage())
                                    .collect(Collectors.joining("\n")))
                            .contains(
                                "[Orders].partitions",
                                "the name of a gateway must be a lower-case letter",
                                "[a].owner",
                                "must be given with datasource",
                                "[a].datasource.password",
                                "no JDBC driver on the class path accepts this URL",
                                "[a].migrations",
                                "[b].owner",
                                "[b].owner.username",
                                "[b].statementTimeout",
                                "[b].resultsKept",
                                "[b].historyOneIn",
                                "[b].cpus",
                                "\"0-\" is not a list of CPUs such as 0-1,3",
                                "[b].lanes[Bulk].weight",
                                "the name of a lane must be a lower-case letter",
                                "a caller has at most one lane of a gateway",
                                "has the queues of gateway c-bulk",
                                "is not allowed with from: callers cannot send")));
  }
}
