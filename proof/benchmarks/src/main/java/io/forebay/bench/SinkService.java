/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.jdbc.Results;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.kafka.KafkaBackend;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Forebay's gateway on Kafka in its own process, which ends with its parent. */
final class SinkService {

  static final String COMMAND = "sink-service";

  /** The name of the gateway, and thus of its queues. */
  static final String NAME = "sink";

  private static final long LOOK_MILLIS = 200;

  private SinkService() {}

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments, Set.of(), Set.of("bootstrap", "prefix", "postgres", "results", "batch"));
    Testbed.endWithParent();
    String url = options.required("postgres");
    KafkaBackend backend =
        KafkaBackend.open(
            KafkaBackend.Options.of(options.required("bootstrap"))
                .withPrefix(options.required("prefix")));
    JDBCService service =
        JDBCService.builder(NAME)
            .queues(backend, 1)
            .dataSource(Postgres.dataSource(url, Postgres.GATEWAY))
            .migrate(Postgres.dataSource(url, Postgres.OWNER))
            .acceptText(true)
            .results(
                Results.valueOf(
                    options.required("results").toUpperCase(Locale.ROOT).replace('-', '_')))
            .options(
                ServiceOptions.defaults()
                    .withMaxBatch(Math.toIntExact(options.count("batch").orElseThrow())))
            .build();
    service.start();
    while (service.state().phase() != ServiceState.Phase.FAILED) {
      Thread.sleep(LOOK_MILLIS);
    }
    throw new IllegalStateException("the gateway failed: " + service.state());
  }
}
