/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Writer;
import io.forebay.hosting.ServiceCalls;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.statement.StatementTexts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shares one writer among all threads. */
public final class SharedStatement implements JDBCStatement, ServiceCalls, AutoCloseable {

  private final Writer<JDBCStatement> writer;
  private final StatementTexts texts;

  public SharedStatement(JDBCService service) {
    this(service, service.createWriter());
  }

  SharedStatement(JDBCService service, Writer<JDBCStatement> writer) {
    this.writer = writer;
    this.texts = service.texts();
  }

  @Override
  public synchronized void executeQuery(
      String query, Class<?> resultType, @Nullable Object... args) {
    texts.mustAccept(query);
    writer.calls().executeQuery(query, resultType, args);
  }

  @Override
  public synchronized void executeUpdate(String query, @Nullable Object... args) {
    texts.mustAccept(query);
    writer.calls().executeUpdate(query, args);
  }

  @Override
  public synchronized void executeTogether(List<Call> calls) {
    texts.mustAccept(calls);
    writer.calls().executeTogether(calls);
  }

  @Override
  public synchronized void close() {
    writer.close();
  }
}
