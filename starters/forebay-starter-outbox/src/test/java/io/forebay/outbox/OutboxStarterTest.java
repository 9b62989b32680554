/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.call.Message;
import io.forebay.call.NoEvents;
import io.forebay.database.TestPostgres;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Partitioner;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with the outbox, a gateway, and migrations of its own in an empty database. */
class OutboxStarterTest {

  interface Orders {
    void placed(OrderPlaced event);

    void cancelled(long id);
  }

  @Externalized("orders::#{customer}")
  record OrderPlaced(long id, String customer) {}

  @Externalized("bills")
  record OrderPaid(long id) {}

  @Externalized("nobody")
  record OrderLost(long id) {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {

    @Bean
    ServiceDefinition<Orders, NoEvents> orders() {
      return ServiceDefinition.of("orders", Orders.class, Performed::new).withPartitions(64);
    }

    @Bean
    EventExternalizationConfiguration events() {
      return EventExternalizationConfiguration.externalizing()
          .select(EventExternalizationConfiguration.annotatedAsExternalized())
          .mapping(OrderPaid.class, Application::bill)
          .build();
    }

    private static Consumer<JDBCStatement> bill(OrderPaid paid) {
      return it -> it.executeUpdate("insert into bill values (?)", paid.id);
    }
  }

  /** Spring Modulith does not externalize events. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName =
          "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
  static class WithoutExternalization {}

  /** Sends while it stops, as requests do that the web server still performs. */
  @Configuration(proxyBeanMethods = false)
  static class Stopping {

    @Bean
    SmartLifecycle stopping(
        Outbox outbox, JDBCService bills, JdbcTemplate jdbc, PlatformTransactionManager manager) {
      return new SmartLifecycle() {

        private boolean running;

        @Override
        public void start() {
          running = true;
        }

        @Override
        public void stop() {
          running = false;
          new TransactionTemplate(manager)
              .executeWithoutResult(_ ->
                  outbox.calls(bills).send(it -> it.executeUpdate("insert into bill values (8)")));
          await()
              .untilAsserted(() ->
                  assertThat(jdbc.queryForList("select id from bill", Long.class))
                      .containsExactly(8L));
        }

        @Override
        public boolean isRunning() {
          return running;
        }

        @Override
        public int getPhase() {
          return DEFAULT_PHASE - 1024; // of the graceful shutdown of the web server
        }
      };
    }
  }

  private static final class Performed implements Orders {

    static final Map<OrderPlaced, Integer> partitions = new ConcurrentHashMap<>();

    @Override
    public void placed(OrderPlaced event) {
      partitions.put(event, Message.current().partition());
    }

    @Override
    public void cancelled(long id) {}
  }

  @TempDir Path directory;

  private ConfigurableApplicationContext start(TestPostgres postgres, String... arguments) {
    return application(postgres, Application.class).run(arguments);
  }

  private SpringApplicationBuilder application(TestPostgres postgres, Class<?>... configuration) {
    return new SpringApplicationBuilder(configuration)
        .properties(
            "forebay.data=" + directory,
            "forebay.backend=memory",
            "spring.datasource.url=" + postgres.url(),
            "spring.datasource.username=forebay_owner",
            "forebay.gateways.bills.datasource.url=" + postgres.url(),
            "forebay.gateways.bills.datasource.username=forebay_gateway",
            "forebay.gateways.bills.datasource.password=",
            "forebay.gateways.bills.owner.username=forebay_owner",
            "forebay.gateways.bills.owner.password=",
            "spring.modulith.events.externalization.mode=outbox");
  }

  @Test
  void sendsAStatementInATransactionOfSpring() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      try (ConfigurableApplicationContext application = start(postgres)) {
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        var statements =
            application.getBean(Outbox.class).calls(application.getBean(JDBCService.class));
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
            .executeWithoutResult(_ -> {
              jdbc.update("insert into orders values (7)");
              statements.send(it -> it.executeUpdate("insert into bill select id from orders"));
            });
        await()
            .untilAsserted(() ->
                assertThat(jdbc.queryForList("select id from bill", Long.class))
                    .containsExactly(7L));
        assertThat(jdbc.queryForList("select version from forebay_outbox_history", String.class))
            .contains("1", "2");
      }
    }
  }

  @Test
  void sendsExternalizedEventsInTheTransactionThatPublishesThem() {
    try (TestPostgres postgres = TestPostgres.shared();
        ConfigurableApplicationContext application = start(postgres)) {
      JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
      TransactionTemplate transaction =
          new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
      transaction.executeWithoutResult((TransactionStatus status) -> {
        application.publishEvent(new OrderPlaced(1, "rolled back"));
        status.setRollbackOnly();
      });
      transaction.executeWithoutResult(_ -> {
        application.publishEvent(new OrderPlaced(2, "customer-7"));
        application.publishEvent(new OrderPaid(2));
        assertThatThrownBy(() -> application.publishEvent(new OrderLost(2)))
            .hasMessageContaining("target nobody is not the name of a service");
      });
      assertThatThrownBy(() -> application.publishEvent(new OrderPlaced(3, "no transaction")))
          .isInstanceOf(IllegalTransactionStateException.class);
      assertThatThrownBy(() -> multicastWithThreads(application, new OrderPlaced(4, "thread")))
          .isInstanceOf(IllegalTransactionStateException.class);
      await()
          .untilAsserted(() ->
              assertThat(jdbc.queryForList("select id from bill", Long.class)).containsExactly(2L));
      await()
          .untilAsserted(() ->
              assertThat(Performed.partitions)
                  .isEqualTo(
                      Map.of(
                          new OrderPlaced(2, "customer-7"),
                          Partitioner.partition("customer-7", 64))));
    }
  }

  private static void multicastWithThreads(
      ConfigurableApplicationContext application, Object event) {
    SimpleApplicationEventMulticaster threads = new SimpleApplicationEventMulticaster();
    threads.setTaskExecutor(new SimpleAsyncTaskExecutor());
    threads.addApplicationListener(application.getBean(ExternalizedEvents.class));
    threads.multicastEvent(new PayloadApplicationEvent<>(application, event));
  }

  @Test
  void sendsNoEventsIfTheirExternalizationIsDisabled() {
    try (TestPostgres postgres = TestPostgres.shared();
        ConfigurableApplicationContext application =
            start(postgres, "--spring.modulith.events.externalization.enabled=false")) {
      assertThat(application.getBeansOfType(ExternalizedEvents.class)).isEmpty();
      assertThat(application.getBeansOfType(Outbox.class)).hasSize(1);
    }
  }

  /** The events would be lost, and nobody would notice. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesToStartIfModulithIsConfiguredByHalf(boolean hasClasses) {
    try (TestPostgres postgres = TestPostgres.shared()) {
      ClassLoader present = OutboxStarterTest.class.getClassLoader();
      ClassLoader classes = hasClasses ? present : new WithoutEventsCore(present);
      SpringApplicationBuilder half =
          application(
                  postgres,
                  hasClasses
                      ? new Class<?>[] {WithoutExternalization.class}
                      : new Class<?>[] {Application.class, WithoutExternalization.class})
              .resourceLoader(new DefaultResourceLoader(classes));
      assertThatThrownBy(half::run)
          .isInstanceOf(StartRefused.class)
          .hasMessageContaining("org.springframework.modulith:spring-modulith-starter-jdbc")
          .hasMessageContaining("remove the property");
    }
  }

  /** As if the application had only {@code spring-modulith-events-api}. */
  private static final class WithoutEventsCore extends ClassLoader {

    WithoutEventsCore(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(BrokerRouting.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  @Test
  void endsWithoutAWarning() {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    try (TestPostgres postgres = TestPostgres.shared()) {
      ConfigurableApplicationContext application = start(postgres);
      logged.start();
      root.addAppender(logged);
      application.close();
      assertThat(logged.list.stream().filter(it -> it.getLevel().isGreaterOrEqual(Level.WARN)))
          .isEmpty();
    } finally {
      root.detachAppender(logged);
    }
  }

  @Test
  void handsOverWhatIsSentWhileTheWebServerStops() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      application(postgres, Application.class, Stopping.class).run().close();
      assertThat(new JdbcTemplate(postgres.owner()).queryForList("select id from bill", Long.class))
          .containsExactly(8L);
    }
  }
}
