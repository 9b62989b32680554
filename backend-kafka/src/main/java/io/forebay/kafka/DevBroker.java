/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueUnavailable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

/** A broker that is a child of this process and ends with it; its data stays. */
final class DevBroker implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DevBroker.class);
  private static final String PROCESS = "io.forebay.kafka.broker.BrokerProcess";
  private static final String NEEDS =
      "forebay.kafka.dev.enabled starts a Kafka broker from Maven artifacts, but %s; run 'mvn"
          + " spring-boot:run -Dspring-boot.run.profiles=kafka-dev' in the folder with the sources of"
          + " Forebay, do in your own application what docs/kafka.md says, or set"
          + " forebay.kafka.bootstrap-servers to a broker of your own instead";

  private final BrokerProcess process;

  private DevBroker(BrokerProcess process) {
    this.process = process;
  }

  /**
   * Starts the broker and waits until it responds.
   *
   * @throws StartRefused if there is no class path to start it from
   */
  static DevBroker start(KafkaProperties.Dev dev, Path data) {
    Path classPath = dev.classPath();
    if (!ClassUtils.isPresent(PROCESS, DevBroker.class.getClassLoader())) {
      throw refused(
          "io.forebay:kafka-broker, which contains the broker, is not among the dependencies");
    }
    if (classPath == null) {
      throw refused("forebay.kafka.dev.class-path, the file with their class path, is not set");
    }
    if (!Files.isReadable(classPath)) {
      throw refused("forebay.kafka.dev.class-path is %s, which is not a file".formatted(classPath));
    }
    BrokerProcess process;
    try {
      process = BrokerProcess.start(classPath, data, dev.port(), Map.of());
    } catch (IllegalStateException e) { // in a jar
      throw refused(String.valueOf(e.getMessage()));
    }
    awaitAnswer(process.bootstrap());
    log.info(
        "Kafka broker for development listens on {}; its data is in {}", process.bootstrap(), data);
    return new DevBroker(process);
  }

  private static StartRefused refused(String why) {
    return new StartRefused(NEEDS.formatted(why));
  }

  /** The broker listens a moment before it serves; longer on a busy machine. */
  private static void awaitAnswer(String bootstrap) {
    try (Topics topics = new Topics(KafkaBackend.Options.of(bootstrap))) {
      topics.mustAnswer();
    } catch (QueueUnavailable e) {
      log.warn("The broker for development was started and is not responding yet");
    }
  }

  String bootstrap() {
    return process.bootstrap();
  }

  @Override
  public void close() {
    process.close();
  }
}
