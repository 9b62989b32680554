/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import java.io.ObjectInputFilter;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;

/** Starts the service. */
@SpringBootApplication(
    proxyBeanMethods = false,
    exclude = UserDetailsServiceAutoConfiguration.class) // Forebay has its own tokens and users
class Forebay {

  public static void main(String[] args) {
    refuseSerializedObjects();
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
