/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import io.forebay.admin.AdminConfiguration;
import io.forebay.operations.Audit;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

/** The admin page and the button of the demo. */
@AdminConfiguration
class PageAutoConfiguration {

  @Bean
  PageController forebayPageController(ServletContext servlet) throws IOException {
    return new PageController(servlet.getContextPath());
  }

  @Bean
  @ConditionalOnBean(Demo.class)
  DemoController forebayDemoController(Demo demo, ObjectProvider<Audit> audit) {
    return new DemoController(demo, audit.getIfAvailable(Audit::none));
  }
}
