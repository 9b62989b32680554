/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.app.command.Configured;
import io.forebay.app.command.WrongUsage;
import io.forebay.jdbc.spring.GatewayCopies;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Where a probe works: a backend configured as that of the service, but with a data directory of
 * its own on the same disk. Everything that the probe creates has a name that begins with its id.
 */
final class Workspace implements AutoCloseable {

  private final ProbeDirectory directory;
  private final ConfigurableApplicationContext context;
  private @Nullable ProbeTable table;

  private Workspace(ProbeDirectory directory, ConfigurableApplicationContext context) {
    this.directory = directory;
    this.context = context;
  }

  @ProbeBeans
  private static final class Beans {}

  /**
   * Opens one, and deletes what killed probes left.
   *
   * @param configuration the arguments that configure the service
   */
  static Workspace open(List<String> configuration) throws IOException {
    ProbeDirectory directory = ProbeDirectory.create(Configured.data(configuration));
    try {
      Workspace workspace =
          new Workspace(
              directory, Configured.context(Beans.class, inside(directory, configuration)));
      directory.left().forEach(workspace::deleteLeft);
      return workspace;
    } catch (RuntimeException | Error e) {
      directory.delete();
      throw e;
    }
  }

  private static List<String> inside(ProbeDirectory directory, List<String> configuration) {
    String data = "--forebay.data=";
    return Stream.concat(
            configuration.stream().filter(it -> !it.startsWith(data)),
            Stream.of(data + directory.path()))
        .toList();
  }

  String id() {
    return directory.id();
  }

  Path path() {
    return directory.path();
  }

  ApplicationContext context() {
    return context;
  }

  QueueBackend backend() {
    return context.getBean(QueueBackend.class);
  }

  /** The gateways whose databases can be measured. */
  List<String> gateways() {
    return copies().gateways();
  }

  private GatewayCopies copies() {
    return context.getBean(GatewayCopies.class);
  }

  /**
   * @throws WrongUsage if there is no such gateway
   */
  GatewayCopies.Original gateway(String name) {
    try {
      return copies().original(name);
    } catch (IllegalArgumentException e) {
      throw new WrongUsage("--gateway=%s: %s".formatted(name, e.getMessage()));
    }
  }

  /** The table in the database of a gateway, which is deleted with the workspace. Once. */
  ProbeTable table(GatewayCopies.Original gateway) throws IOException {
    directory.note(gateway.name());
    ProbeTable created = new ProbeTable(gateway, id());
    table = created;
    return created;
  }

  private void deleteLeft(ProbeDirectory left) {
    try (left) {
      for (StoredQueue queue : context.getBean(StoredQueues.class).queues()) {
        if (queue.name().startsWith(left.id() + "-")) {
          backend().delete(queue.name());
        }
      }
      if (!left.gateway().isEmpty()) {
        new ProbeTable(gateway(left.gateway()), left.id()).drop();
      }
      left.delete();
      System.out.printf("Deleted tables and queues of an earlier probe: %s%n", left.id());
    } catch (IOException | SQLException | RuntimeException e) {
      System.err.printf(
          "Tables and queues of an earlier probe cannot be deleted (%s): %s; the next probe retries%n",
          left.path(), Configured.reason(e));
    }
  }

  /** Deletes everything. */
  @Override
  public void close() {
    Thread.interrupted(); // what is left must be deleted
    try {
      if (table != null) {
        table.drop();
      }
      context.close();
      directory.delete();
    } catch (IOException | SQLException | RuntimeException e) {
      context.close();
      System.err.printf(
          "Tables and queues of this probe cannot be deleted (%s): %s; the next probe retries%n",
          directory.path(), Configured.reason(e));
    }
  }
}
