/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.TestDatabase;
import io.forebay.service.ServiceState;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLNonTransientConnectionException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hsqldb.lib.FileAccess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A gateway on an embedded database whose disk fails to force a file, once. HSQLDB has a descriptor
 * of its own for {@code .data} and {@code .backup}, and ignores the failure that it is told; the
 * test fails the descriptor of Forebay, which Linux tells as well.
 */
class FailingForceTest {

  private static final String EXCEEDS_THE_CACHE =
      "insert into filling (select a.n from unnest(sequence_array(1, 400, 1)) a (n),"
          + " unnest(sequence_array(1, 300, 1)) b (n))";

  private volatile @Nullable String failing;

  @ParameterizedTest
  @ValueSource(strings = {".log", ".data", ".backup"})
  void theGatewayFailsWithTheReasonAndARestartPerformsEachStatementOnce(
      String file, @TempDir Path directory) throws Exception {
    Path files = directory.resolve("database");
    try (ShopOnDisk shop = new ShopOnDisk(directory)) {
      shop.closeDatabase();
      shop.use(TestDatabase.embedded(EmbeddedDatabase.open(files, this::failing)));
      shop.database().createTable("filling", "id bigint");
      shop.run(service -> {
        ShopOnDisk.send(service, 0, 5);
        shop.awaitEffects(5);
        awaitAnsweredKept(shop);
        failing = file;
        if (!file.equals(".log")) {
          String writes = file.equals(".data") ? "checkpoint" : EXCEEDS_THE_CACHE;
          assertThatThrownBy(() -> shop.execute(writes))
              .hasStackTraceContaining("Input/output error");
        }
        ShopOnDisk.send(service, 5, 6);
        await()
            .atMost(ShopOnDisk.SOON)
            .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
        assertThat(failing).isNull();
        assertThat(service.state().reason())
            .contains("The embedded database could not write its files (Input/output error)");
        ShopOnDisk.assertRefused(service, "the log has the cause");
      });
      assertThatThrownBy(() -> shop.database().gateway().getConnection())
          .isInstanceOf(SQLNonTransientConnectionException.class)
          .hasMessageContaining("Input/output error");
      shop.run(service -> {
        await()
            .atMost(ShopOnDisk.SOON)
            .until(() -> service.state().phase() == ServiceState.Phase.WAITING);
        assertThat(service.state().reason())
            .contains("The embedded database could not write its files (Input/output error)");
      });
      shop.closeDatabase();

      shop.openDatabase();
      shop.perform(6, 8);
      assertThat(shop.effects()).isEqualTo(ShopOnDisk.numbers(0, 8));
    }
  }

  /** An idle gateway keeps how far it has answered; nothing is left for it to write then. */
  private static void awaitAnsweredKept(ShopOnDisk shop) {
    await()
        .atMost(ShopOnDisk.SOON)
        .untilAsserted(() ->
            assertThat(
                    shop.database()
                        .rows(
                            "select count(*) from forebay.outcome"
                                + " where answered_position = to_position"))
                .containsExactly("1"));
  }

  /** The next force of the file that {@link #failing} names fails; those behind it work. */
  private FileAccess failing(FileAccess disk) {
    Map<Object, String> names = new ConcurrentHashMap<>();
    return (FileAccess)
        Proxy.newProxyInstance(
            FileAccess.class.getClassLoader(),
            new Class<?>[] {FileAccess.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (result instanceof OutputStream) {
                names.put(result, (String) arguments[0]);
              }
              return result instanceof FileAccess.FileSync file
                  ? force(file, names.get(arguments[0]))
                  : result;
            });
  }

  private FileAccess.FileSync force(FileAccess.FileSync file, String name) {
    return () -> {
      String now = failing;
      if (now != null && name.contains(now)) {
        failing = null;
        throw new IOException("Input/output error");
      }
      file.sync();
    };
  }
}
