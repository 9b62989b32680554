/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.awaitility.Awaitility.await;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.spring.hosting.OwnService;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;

/** The beans of a {@link ForebayTest}. */
@AutoConfiguration(afterName = "io.forebay.batch.jobs.JobsAutoConfiguration")
class TestAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  TestClock testClock() {
    return new TestClock();
  }

  /** Lets the back-offs of own services wait for the clock. */
  @Bean
  static BeanPostProcessor testTime(ObjectProvider<TestClock> clock) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof ServiceDefinition<?, ?> definition
            ? definition.withOptions(definition.options().withTime(clock.getObject()))
            : bean;
      }
    };
  }

  @Bean
  @Lazy
  ServicesUnderTest servicesUnderTest(ObjectProvider<OwnService<?, ?>> services, TestClock clock) {
    return new ServicesUnderTest(services.stream().toList(), clock);
  }

  /** Lets the operator of jobs wait for the end of each execution. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(JobOperator.class)
  static class Jobs {

    private static final Duration A_MOMENT = Duration.ofMillis(10);

    @Bean
    @Primary
    @ConditionalOnBean(name = "forebayJobOperator")
    JobOperator waitingJobOperator(
        JobOperator forebayJobOperator, JobRepository repository, ServicesUnderTest services) {
      return (JobOperator)
          Proxy.newProxyInstance(
              JobOperator.class.getClassLoader(),
              new Class<?>[] {JobOperator.class},
              (_, method, arguments) ->
                  awaitEnd(call(forebayJobOperator, method, arguments), repository, services));
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
    private static @Nullable Object awaitEnd(
        @Nullable Object returned, JobRepository repository, ServicesUnderTest services) {
      if (!(returned instanceof JobExecution execution)) {
        return returned;
      }
      await()
          .forever()
          .pollDelay(Duration.ZERO)
          .pollInterval(A_MOMENT)
          .until(() -> {
            services.retryNow();
            JobExecution now = repository.getJobExecution(execution.getId());
            return now == null || !now.isRunning();
          });
      return repository.getJobExecution(execution.getId());
    }
  }
}
