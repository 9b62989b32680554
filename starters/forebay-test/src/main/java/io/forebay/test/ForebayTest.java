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
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.annotation.AliasFor;

/**
 * A test of own services as beans, without databases and without a web server:
 *
 * <pre>{@code
 * @ForebayTest(classes = {PricingConfiguration.class, Shop.class})
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
 * Queues are in memory, the data directory is a temporary one, and back-offs wait for the bean
 * {@link TestClock}. Other auto-configurations are off; {@code @ImportAutoConfiguration} adds one.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@OverrideAutoConfiguration(enabled = false)
@ImportAutoConfiguration
@TemporaryData
public @interface ForebayTest {

  /** The configurations and components to load; by default the application. */
  @AliasFor(annotation = SpringBootTest.class, attribute = "classes")
  Class<?>[] classes() default {};

  /** Properties, such as {@code shop.currency=EUR}. */
  @AliasFor(annotation = SpringBootTest.class, attribute = "properties")
  String[] properties() default {};
}
