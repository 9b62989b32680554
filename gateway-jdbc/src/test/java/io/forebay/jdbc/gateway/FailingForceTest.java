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
import org.hsqldb.lib.FileAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway on an embedded database whose disk fails to force, once. */
class FailingForceTest {

  private volatile boolean failing;

  @Test
  void theGatewayFailsWithTheReasonAndARestartPerformsEachStatementOnce(@TempDir Path directory)
      throws Exception {
    Path files = directory.resolve("database");
    try (ShopOnDisk shop = new ShopOnDisk(directory)) {
      shop.closeDatabase();
      shop.use(TestDatabase.embedded(EmbeddedDatabase.open(files, this::failing)));
      shop.run(service -> {
        ShopOnDisk.send(service, 0, 5);
        shop.awaitEffects(5);
        failing = true;
        ShopOnDisk.send(service, 5, 6);
        await()
            .atMost(ShopOnDisk.SOON)
            .until(() -> service.state().phase() == ServiceState.Phase.FAILED);
        assertThat(failing).isFalse();
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

  /** The next force after {@link #failing} was set fails; those behind it work. */
  private FileAccess failing(FileAccess disk) {
    return (FileAccess)
        Proxy.newProxyInstance(
            FileAccess.class.getClassLoader(),
            new Class<?>[] {FileAccess.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getFileSync")) {
                return force(disk.getFileSync((OutputStream) arguments[0]));
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FileAccess.FileSync force(FileAccess.FileSync file) {
    return () -> {
      if (failing) {
        failing = false;
        throw new IOException("Input/output error");
      }
      file.sync();
    };
  }
}
