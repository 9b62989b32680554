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
    exclude = UserDetailsServiceAutoConfiguration.class) // there are tokens and users of our own
class Forebay {

  public static void main(String[] args) {
    refuseSerializedObjects();
    SpringApplication.run(Forebay.class, args);
  }

  /** Nothing here reads serialized Java objects; a filter that the user set stays. */
  private static void refuseSerializedObjects() {
    if (ObjectInputFilter.Config.getSerialFilter() == null) {
      ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter("!*"));
    }
  }
}
