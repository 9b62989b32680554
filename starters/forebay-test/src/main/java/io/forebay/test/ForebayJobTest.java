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
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.annotation.AliasFor;

/**
 * A test of jobs in the whole application. The {@code JobOperator} waits for the end of each
 * execution, as Spring Batch's own test support expects:
 *
 * <pre>{@code
 * @ForebayJobTest
 * @SpringBatchTest
 * class RepriceTest {
 *
 *   @Autowired JobOperatorTestUtils jobs;
 *
 *   @Test
 *   void everyArticleGetsAPrice() throws Exception {
 *     assertThat(jobs.startJob(parameters).getStatus()).isEqualTo(BatchStatus.COMPLETED);
 *   }
 * }
 * }</pre>
 *
 * Queues are in memory, and the data directory with the embedded database is a temporary one. The
 * start fails if the address of the system database or of a gateway's database is set elsewhere
 * than in the properties of the test: a test must not take part in a running system.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@TemporaryData
public @interface ForebayJobTest {

  /** The configurations and components to load; by default the application. */
  @AliasFor(annotation = SpringBootTest.class, attribute = "classes")
  Class<?>[] classes() default {};

  /** Properties, such as {@code prices.step-chunk=100}. */
  @AliasFor(annotation = SpringBootTest.class, attribute = "properties")
  String[] properties() default {};
}
