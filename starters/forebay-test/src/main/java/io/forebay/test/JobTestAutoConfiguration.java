/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** Lets the operator of jobs wait for the end of each execution, in a {@link ForebayJobTest}. */
@AutoConfiguration(afterName = "io.forebay.batch.jobs.JobsAutoConfiguration")
@ConditionalOnClass(JobOperator.class)
@ConditionalOnProperty(JobTestAutoConfiguration.ENABLED)
class JobTestAutoConfiguration {

  static final String ENABLED = "io.forebay.test.waiting-job-operator";
  private static final Duration A_MOMENT = Duration.ofMillis(10);

  @Bean
  @Primary
  @ConditionalOnBean(name = "forebayJobOperator")
  JobOperator waitingJobOperator(JobOperator forebayJobOperator, JobRepository repository) {
    return (JobOperator)
        Proxy.newProxyInstance(
            JobOperator.class.getClassLoader(),
            new Class<?>[] {JobOperator.class},
            (_, method, arguments) ->
                awaitEnd(call(forebayJobOperator, method, arguments), repository));
  }

  private static @Nullable Object call(
      JobOperator operator, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(operator, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Returns the execution after its end; anything else as it is. */
  private static @Nullable Object awaitEnd(@Nullable Object returned, JobRepository repository) {
    if (!(returned instanceof JobExecution execution)) {
      return returned;
    }
    await()
        .forever()
        .pollDelay(Duration.ZERO)
        .pollInterval(A_MOMENT)
        .until(() -> {
          JobExecution now = repository.getJobExecution(execution.getId());
          return now == null || !now.isRunning();
        });
    return repository.getJobExecution(execution.getId());
  }
}
