/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.annotation.AliasFor;

/**
 * A test of services and jobs in an application, with a clock:
 *
 * <pre>{@code
 * @ForebayTest
 * class PricingTest {
 *
 *   @Autowired Pricing pricing;
 *   @Autowired Shop shop;
 *   @Autowired ServicesUnderTest services;
 *
 *   @Test
 *   void theShopReceivesPrices() {
 *     pricing.price(order, 3);
 *     services.awaitIdle();
 *     assertThat(shop.total(order)).isEqualTo("7.50");
 *   }
 * }
 * }</pre>
 *
 * Queues are in memory, and the data directory with the embedded database is a temporary one, which
 * is deleted at the end of the tests; the properties of the test precede both. Back-offs of
 * services wait for the bean {@link TestClock}. The {@code JobOperator} waits for the end of each
 * execution, as Spring Batch's own test support expects, and moves the clock meanwhile.
 *
 * <p>The start fails if the address of the system database or of a gateway's database is set
 * elsewhere than in the properties of the test: a test must not take part in a running system.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SpringBootTest
@ImportAutoConfiguration
public @interface ForebayTest {

  /**
   * The configurations and components to load, with services but without other auto-configurations;
   * by default the whole application.
   */
  @AliasFor(annotation = SpringBootTest.class, attribute = "classes")
  Class<?>[] classes() default {};

  /** Properties, such as {@code shop.currency=EUR}. */
  @AliasFor(annotation = SpringBootTest.class, attribute = "properties")
  String[] properties() default {};

  /** By default the test has no web server. */
  @AliasFor(annotation = SpringBootTest.class, attribute = "webEnvironment")
  WebEnvironment webEnvironment() default WebEnvironment.NONE;
}
