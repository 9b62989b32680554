/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.shop;

import io.forebay.call.NoEvents;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.security.CallerSecurity;
import io.forebay.service.errors.ErrorPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

/** A user's application: a service, a job and controllers, one of them for callers with a token. */
@SpringBootApplication(proxyBeanMethods = false)
public class ShopApplication {

  /** Whether the service and the job fail. */
  public static final AtomicBoolean BROKEN = new AtomicBoolean();

  public interface Orders {
    void order(String item);
  }

  @Bean
  ServiceDefinition<Orders, NoEvents> orders() {
    return ServiceDefinition.of("orders", Orders.class, () -> _ -> fail())
        .withErrorPolicy(ErrorPolicy.retry(1, Duration.ofMillis(1)).thenDeadLetter());
  }

  @Bean
  Job restock(JobRepository repository) {
    return new JobBuilder("restock", repository)
        .start(
            new StepBuilder("restock", repository)
                .tasklet((_, _) -> {
                  fail();
                  return RepeatStatus.FINISHED;
                })
                .build())
        .build();
  }

  private static void fail() {
    if (BROKEN.get()) {
      throw new IllegalStateException("out of stock");
    }
  }

  @RestController
  static class ShopController {

    private final Orders orders;

    ShopController(Orders orders) {
      this.orders = orders;
    }

    @PostMapping("/orders")
    void order(@RequestBody String item) {
      orders.order(item);
    }

    @GetMapping({"/", "/api/v1/orders"})
    String open() {
      return "The shop is open.";
    }

    record Price(String itemName) {}

    @GetMapping("/price")
    Price price() {
      return new Price("tea");
    }

    @GetMapping("/reports/today")
    String report() {
      return "Nothing was sold.";
    }

    @GetMapping("/broken")
    String broken() {
      throw new IllegalStateException("a fault of the shop");
    }
  }

  @Bean
  SecurityFilterChain reports(HttpSecurity http, CallerSecurity callers) {
    return callers
        .identify(http.securityMatcher("/reports/**"))
        .authorizeHttpRequests(paths -> paths.anyRequest().hasRole("VIEWER"))
        .build();
  }

  /**
   * As an application may: this makes MVC choose a controller whose path the chain does not have.
   */
  @Bean
  WebMvcConfigurer pathsWithoutCase() {
    return new WebMvcConfigurer() {
      @Override
      public void configurePathMatch(PathMatchConfigurer paths) {
        PathPatternParser parser = new PathPatternParser();
        parser.setCaseSensitive(false);
        paths.setPatternParser(parser);
      }
    };
  }
}
