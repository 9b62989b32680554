/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.queue;

import java.util.List;
import java.util.stream.Collectors;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.bind.validation.BindValidationException;
import org.springframework.boot.context.properties.bind.validation.ValidationErrors;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.validation.FieldError;

/** The configuration of the service, for a command that starts no service and logs nothing. */
public final class Configured {

  private Configured() {}

  /**
   * Opens a context with the environment of the service.
   *
   * @param beans a configuration class
   * @param arguments properties of the command line
   */
  public static ConfigurableApplicationContext context(Class<?> beans, List<String> arguments) {
    System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
    System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    SpringApplication application = new SpringApplication(beans);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setBannerMode(Banner.Mode.OFF);
    application.setRegisterShutdownHook(false);
    return application.run(arguments.toArray(String[]::new));
  }

  /** The text of a failure for an operator: what Spring wraps says what is wrong. */
  public static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getClass().getName().startsWith("org.springframework.")
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof BindValidationException invalid) {
      return withoutValues(invalid.getValidationErrors());
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /** The message of the exception has the values, which may be secrets. */
  private static String withoutValues(ValidationErrors errors) {
    return errors.getAllErrors().stream()
        .map(it ->
            errors.getName()
                + (it instanceof FieldError field ? "." + field.getField() : "")
                + " "
                + it.getDefaultMessage())
        .collect(Collectors.joining("; "));
  }
}
