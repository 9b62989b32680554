/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.app.queue.QueueCommand;
import java.io.ObjectInputFilter;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Starts the service, or runs one of the commands {@code queue} and {@code train}.
 */
@SpringBootApplication(proxyBeanMethods = false)
class Forebay {

  public static void main(String[] args) {
    refuseSerializedObjects();
    if (QueueCommand.isMeant(args)) {
      System.exit(QueueCommand.run(args));
    }
    if (TrainingRun.isMeant(args)) {
      System.exit(TrainingRun.run(args));
    }
    SpringApplication.run(Forebay.class, args);
  }

  /**
   * Refuses all deserialization of Java objects, which Forebay never uses. A filter that the user
   * set is kept.
   */
  private static void refuseSerializedObjects() {
    if (ObjectInputFilter.Config.getSerialFilter() == null) {
      ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter("!*"));
    }
  }
}
