/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.app.queue.QueueCommand;
import java.io.ObjectInputFilter;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the service, or runs the command {@code queue}. */
@SpringBootApplication(proxyBeanMethods = false)
class Forebay {

  public static void main(String[] args) {
    refuseSerializedObjects();
    if (QueueCommand.isMeant(args)) {
      System.exit(QueueCommand.run(args));
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
