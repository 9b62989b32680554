/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;

/** Requests to the controllers of Forebay, and to no others. */
@AutoConfiguration
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
class WebAutoConfiguration {

  /** Who injects the application's mapping by its type does not get this one. */
  @Bean(defaultCandidate = false)
  ForebayHandlerMapping forebayHandlerMapping() {
    return new ForebayHandlerMapping();
  }

  @Bean
  ForebayHandlerAdapter forebayHandlerAdapter() {
    return new ForebayHandlerAdapter();
  }

  @Bean
  ProblemResolver forebayProblemResolver(
      @Qualifier("forebayHandlerMapping") ForebayHandlerMapping controllers) {
    return new ProblemResolver(controllers);
  }
}
