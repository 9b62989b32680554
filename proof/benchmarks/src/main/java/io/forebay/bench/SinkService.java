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
            arguments, "--bootstrap HOSTS --prefix NAME --postgres URL --results NAME --batch N");
    Testbed.endWithParent();
    KafkaBackend backend =
        KafkaBackend.open(
            KafkaBackend.Options.of(options.required("bootstrap"))
                .withPrefix(options.required("prefix")));
    int batch = Math.toIntExact(options.count("batch").orElseThrow());
    JDBCService service =
        Postgres.databaseOf(
                JDBCService.builder(NAME).queues(backend, 1), options.required("postgres"))
            .acceptText(true)
            .results(Results.valueOf(options.required("results")))
            .options(ServiceOptions.defaults().withMaxBatch(batch))
            .build();
    service.start();
    while (service.state().phase() != ServiceState.Phase.FAILED) {
      Thread.sleep(LOOK_MILLIS);
    }
    throw new IllegalStateException("the gateway failed: " + service.state());
  }
}
