/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Services;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Import;

/** An auto-configuration of the admin API: in a web application with services, after those. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.spring.ReportAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayOperationsAutoConfiguration",
      "io.forebay.system.SystemAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Services.class)
@Import(AdminWebConfiguration.class)
public @interface AdminConfiguration {}
