/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.access.LoginDelay;
import java.time.InstantSource;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** Lets a test send any number of wrong passwords. */
@TestConfiguration(proxyBeanMethods = false)
class NoLoginDelay {

  @Bean
  LoginDelay noDelay() {
    return new LoginDelay(Integer.MAX_VALUE, InstantSource.system());
  }
}
