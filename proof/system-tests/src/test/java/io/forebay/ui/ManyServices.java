/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.ui;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.SimpleCommandLinePropertySource;

/** Forebay with twenty services, each with a few messages a second. */
final class ManyServices {

  static final int COUNT = 20;
  private static final Duration KEPT = Duration.ofHours(1);

  /** The calls of a service. */
  public interface Work {
    void perform(long number);
  }

  private static final Protocol<Work> PROTOCOL = Protocol.of(Work.class);

  private ManyServices() {}

  public static void main(String[] args) throws Exception {
    String data = new SimpleCommandLinePropertySource(args).getProperty("forebay.data");
    ChronicleBackend backend = ChronicleBackend.open(Path.of(data, "many"));
    List<Service<Work, Work>> services = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      services.add(service(backend, "service-%03d".formatted(i)));
    }
    new SpringApplicationBuilder(Class.forName("io.forebay.app.Forebay"))
        .initializers(context -> register((GenericApplicationContext) context, services))
        .run(args);
    services.forEach(Service::start);
    Thread.ofPlatform().start(() -> work(services));
  }

  private static Service<Work, Work> service(ChronicleBackend backend, String name) {
    return new Service<>(
        name,
        new Service.End<>(backend.open(name + ".in", 1, KEPT), PROTOCOL),
        new Service.End<>(backend.open(name + ".out", 1, KEPT), PROTOCOL),
        (_, answers) -> answers,
        ServiceOptions.defaults());
  }

  @SuppressWarnings("unchecked")
  private static void register(
      GenericApplicationContext context, List<Service<Work, Work>> services) {
    services.forEach(it ->
        context.registerBean(
            it.name(), (Class<Service<Work, Work>>) (Class<?>) Service.class, () -> it));
  }

  /** About three messages a second for each service. */
  private static void work(List<Service<Work, Work>> services) {
    RandomGenerator random = RandomGenerator.getDefault();
    List<Writer<Work>> writers =
        services.stream().map(it -> PROTOCOL.writer(it.in().queue())).toList();
    for (long number = 0; true; number++) {
      writers.get(random.nextInt(COUNT)).calls().perform(number);
      LockSupport.parkNanos(15_000_000);
    }
  }
}
