/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.spring.hosting.OwnService;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** A test of an application with all of its configuration. */
@ForebayTest
class WholeApplicationTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application extends ForebayTestTest.Pipeline {}

  @Autowired private ForebayTestTest.Pricing pricing;
  @Autowired private ServicesUnderTest services;
  @Autowired private OwnService<ForebayTestTest.Pricing, ForebayTestTest.Prices> service;

  @Test
  void itsServicesAreAwaitedWithoutBackOffs() {
    pricing.price("salt");
    services.awaitIdle();
    assertThat(service.position(0)).isEqualTo(1);
  }
}
