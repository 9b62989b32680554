/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.database.DatabaseProbe;
import io.forebay.database.DatabaseSelfCheck;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.EmbeddedDatabaseAutoConfiguration;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.catalogue.CatalogueFiles;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.Result;
import io.forebay.operations.SelfCheck.State;
import io.forebay.operations.Services;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.system.SystemDatabaseAutoConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class DatabaseSelfCheckTest {

  private static final String PASSWORD = "Grue-5";

  @TempDir Path directory;

  private static DatabaseSelfCheck test(DataSource user, DataSource owner, boolean performs) {
    return new DatabaseSelfCheck(() -> Map.of("orders", new DatabaseProbe(user, owner, performs)));
  }

  private static DataSource postgres(String address, String user) {
    return new DriverManagerDataSource(
        "jdbc:postgresql://%s/orders?password=%s".formatted(address, PASSWORD), user, PASSWORD);
  }

  @Test
  void reportsPostgresqlAndItsDurabilitySettings() {
    try (TestPostgres postgres = TestPostgres.shared()) {
      List<Result> results = test(postgres.gateway(), postgres.owner(), true).run();
      assertThat(results.getFirst().state()).isEqualTo(State.OK);
      assertThat(results.getFirst().text())
          .matches("PostgreSQL \\d+.*; a round trip takes \\d+\\.\\d ms");
      assertThat(results.get(1))
          .isEqualTo(new Result("TLS to orders", State.OK, "the server is on this host"));
      assertThat(results.getLast())
          .isEqualTo(
              new Result("commits of orders", State.OK, "fsync is on, synchronous_commit is on"));
    }
  }

  @Test
  void warnsOfAServerThatLosesCommits() {
    try (TestPostgres postgres =
        TestPostgres.start(Map.of("fsync", "off", "synchronous_commit", "off"))) {
      Result performing = test(postgres.gateway(), postgres.owner(), true).run().getLast();
      assertThat(performing.state()).isEqualTo(State.FAILED);
      assertThat(performing.text())
          .startsWith("fsync is off, synchronous_commit is on: a loss of power");
    }
    try (TestPostgres postgres = TestPostgres.start(Map.of("synchronous_commit", "off"))) {
      Result system = test(postgres.gateway(), postgres.owner(), false).run().getLast();
      assertThat(system.state()).isEqualTo(State.WARN);
      assertThat(system.text()).contains("synchronous_commit is off: a crash of the server");
    }
  }

  @Test
  void reportsWhetherTheWriteDelayOfHsqldbIsOff() throws SQLException {
    try (EmbeddedDatabase database = EmbeddedDatabase.open(directory.resolve("database"))) {
      List<Result> results = test(database.gateway(), database.owner(), true).run();
      assertThat(results.getFirst().text()).startsWith("HSQL Database Engine 2.");
      assertThat(results.getLast().state()).isEqualTo(State.OK);
      assertThat(results.getLast().text()).startsWith("write delay is off");

      TestPostgres.execute(database.owner(), "set files write delay true");
      assertThat(test(database.gateway(), database.owner(), true).run().getLast().state())
          .isEqualTo(State.FAILED);
      Result hidden = test(database.gateway(), database.gateway(), true).run().getLast();
      assertThat(hidden.state()).isEqualTo(State.UNKNOWN);
      assertThat(hidden.text()).contains("is not an administrator");
    }
    JDBCDataSource memory = new JDBCDataSource();
    memory.setURL("jdbc:hsqldb:mem:self-test");
    memory.setUser("SA");
    assertThat(test(memory, memory, true).run().getLast().text()).contains("is in memory");
    TestPostgres.execute(memory, "shutdown");
  }

  @Test
  void reportsWhyADatabaseIsUnreachableWithoutAPassword() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    DataSource away = postgres("127.0.0.1:" + free, "orders");
    DataSource noDriver =
        new DriverManagerDataSource("jdbc:none://orders:" + PASSWORD + "@host", "", PASSWORD);
    for (DataSource source : List.of(away, noDriver)) {
      List<Result> results = test(source, source, true).run();
      assertThat(results.getFirst().state()).isEqualTo(State.FAILED);
      assertThat(results.getFirst().text()).contains("cannot be reached", "(SQLState 08001)");
      assertThat(results.getLast())
          .isEqualTo(
              new Result("commits of orders", State.UNKNOWN, "the database does not respond"));
      assertThat(results.toString()).doesNotContain(PASSWORD, "jdbc:");
    }
    try (TestPostgres postgres = TestPostgres.shared()) {
      DataSource stranger = new DriverManagerDataSource(postgres.url(), "nobody", PASSWORD);
      assertThat(test(stranger, stranger, true).run().getFirst().text())
          .contains("login refused", "(SQLState 28");
    }
  }

  @Test
  void neitherWaitsForASilentDatabaseNorQueriesItTwice() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      DataSource source = postgres("127.0.0.1:" + silent.getLocalPort(), "orders");
      DatabaseSelfCheck test = test(source, source, true);
      for (int i = 0; i < 2; i++) {
        Result result = test.run().getFirst();
        assertThat(result.text()).matches("no response for \\d+ s");
      }
      silent.accept().close();
      silent.setSoTimeout(200);
      assertThat(catchThrowable(silent::accept))
          .as("a second attempt beside the first")
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void warnsOfACatalogueThatOthersCanChange() throws IOException {
    Path file = Files.writeString(directory.resolve("catalogue.yaml"), "statements: {}\n");
    Path absent = directory.resolve("absent.yaml");
    StaticListableBeanFactory beans = new StaticListableBeanFactory();
    CatalogueSelfCheck test = new CatalogueSelfCheck(beans.getBeanProvider(LiveCatalogue.class));
    assertThat(test.run()).isEmpty();
    beans.addBean(
        "catalogue",
        new LiveCatalogue(
            new CatalogueFiles(
                new PathMatchingResourcePatternResolver(),
                List.of(file.toUri() + "", absent.toUri() + "", "classpath:org/hsqldb/none.yaml"),
                "none")));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(test.run()).extracting(Result::state).containsExactly(State.OK);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
    assertThat(test.run())
        .singleElement()
        .satisfies(it -> {
          assertThat(it.state()).isEqualTo(State.WARN);
          assertThat(it.text()).startsWith(file + " has mode rw-rw-r--: others can change");
        });
  }

  @Test
  void warnsOfALoginWithoutPassword() {
    MapConfigurationPropertySource properties = new MapConfigurationPropertySource();
    Map.of(
            "a.datasource", "jdbc:postgresql://db/a",
            "a.owner", "jdbc:postgresql://db/a?sslcert=owner.crt",
            "b.datasource", "jdbc:hsqldb:mem:b")
        .forEach((login, url) -> {
          properties.put("forebay.gateways." + login + ".url", url);
          properties.put("forebay.gateways." + login + ".username", "app");
          properties.put("forebay.gateways." + login + ".password", "");
        });
    GatewaysProperties bound =
        new Binder(properties).bind("forebay", GatewaysProperties.class).get();
    assertThat(new LoginSelfCheck(bound.gateways()).run())
        .extracting(Result::check, Result::state, Result::harm)
        .containsExactly(
            tuple("login of gateway a (datasource)", State.WARN, Harm.ACCESS),
            tuple("login of gateway a (owner)", State.OK, null));
  }

  @Test
  void checksEachGatewayAndTheSystemDatabase() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                EmbeddedDatabaseAutoConfiguration.class,
                GatewayAutoConfiguration.class,
                SystemDatabaseAutoConfiguration.class,
                GatewayOperationsAutoConfiguration.class))
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(Services.class, () -> new Services(List.of(), null))
        .withBean(DataDirectory.class, () -> new DataDirectory(directory))
        .withPropertyValues("forebay.default-gateway=main")
        .run(context ->
            assertThat(context.getBean(DatabaseSelfCheck.class).run())
                .allSatisfy(it -> assertThat(it.state()).isEqualTo(State.OK))
                .extracting(Result::check)
                .containsExactly(
                    "database of gateway main",
                    "commits of gateway main",
                    "database of the system",
                    "commits of the system"));
  }
}
