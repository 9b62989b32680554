/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * What every controller of this module needs: the form of documents. Each auto-configuration that
 * adds a controller imports it.
 */
@Configuration(proxyBeanMethods = false)
public class AdminWebConfiguration {

  AdminWebConfiguration(ObjectProvider<AdminAccess.Checked> access) {
    if (access.getIfAvailable() == null) {
      throw new IllegalStateException(
          "nothing decides who may use the admin page: use forebay-starter-admin, which has"
              + " platform-security, and do not exclude SecurityAutoConfiguration of Forebay");
    }
  }

  @Bean
  WebMvcConfigurer forebayOwnDocuments() {
    return new WebMvcConfigurer() {
      @Override
      public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
        converters.addCustomConverter(new OwnDocuments());
      }
    };
  }

  @Bean
  SmallBodies forebaySmallBodies() {
    return new SmallBodies();
  }
}
