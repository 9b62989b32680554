/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.forebay.service.progress.Unavailable;
import java.net.ServerSocket;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A database that was never reached. */
class SystemDatabaseOutageTest {

  private static final int CALLERS = 5;

  @Test
  void callersThatWaitedForAnAttemptGetItsFailureAndMakeNoneThemselves() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    DataSource nothing =
        new DriverManagerDataSource("jdbc:postgresql://127.0.0.1:" + port + "/none", "a", "b");
    try (SystemDatabase database = SystemDatabases.of(nothing, nothing);
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS)) {
      Callable<Throwable> call =
          () -> catchThrowable(() -> database.ask(client -> client.sql("select 1").query()));
      int own = 0;
      for (Future<Throwable> failure : threads.invokeAll(Collections.nCopies(CALLERS, call))) {
        assertThat(failure.get()).isInstanceOf(Unavailable.class).hasMessageContaining("08001");
        own += failure.get().getCause() instanceof Unavailable ? 0 : 1;
      }
      assertThat(own).as("attempts").isEqualTo(1);
    }
  }
}
