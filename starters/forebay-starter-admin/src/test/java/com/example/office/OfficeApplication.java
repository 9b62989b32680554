/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.office;

import io.forebay.security.CallerSecurity;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * An application with paths of its own below {@code /admin} and {@code /api/v1}, and a filter chain
 * that asks for role admin everywhere.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class OfficeApplication {

  public static final String CUSTOMERS = "the list of all customers";

  @RestController
  static class CustomersController {

    @GetMapping({
      "/admin/customers",
      "/admin/api/customers",
      "/admin/api/v1/customers",
      "/api/v1/services/office/customers",
      "/admin/jobs/customers",
      "/api/v1/results/customers"
    })
    String customers() {
      return CUSTOMERS;
    }
  }

  @Bean
  RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/admin/ledger", _ -> ServerResponse.ok().body(CUSTOMERS))
        .GET("/admin/storage/customers", _ -> ServerResponse.ok().body(CUSTOMERS))
        .build();
  }

  @Bean
  SecurityFilterChain everywhere(HttpSecurity http, CallerSecurity callers) {
    return callers
        .identify(http)
        .authorizeHttpRequests(paths -> paths.anyRequest().hasRole("ADMIN"))
        .build();
  }
}
