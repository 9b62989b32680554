/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.StartRefused;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Errors;

/**
 * How to connect to a database.
 *
 * @param url JDBC URL; none: that of Spring Boot's JdbcConnectionDetails, such as
 *     spring.datasource.url (start.md).
 * @param username Role to connect as; required.
 * @param password Password of the role, preferably from a file or the environment; required, may be
 *     empty.
 */
public record DatabaseLogin(
    @Nullable String url,
    @NotBlank String username,
    @NotNull(message = "must be given; empty if the role logs in without one") String password) {

  private static final boolean HAS_DETAILS =
      ClassUtils.isPresent(
          "org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails",
          DatabaseLogin.class.getClassLoader());

  /**
   * The URL: its own one, or else that of the application's database, which may be in a container.
   *
   * @throws StartRefused if there is neither
   */
  public String url(BeanFactory beans) {
    String found = url == null && HAS_DETAILS ? OfApplication.url(beans) : url;
    if (found == null) {
      throw new StartRefused(
          "The URL of the database of role %s is missing: set it in forebay.gateways or forebay.system, or set spring.datasource.url"
              .formatted(username));
    }
    return found;
  }

  /**
   * Rejects a URL that no driver accepts; otherwise the gateway would wait for that database for
   * ever.
   */
  public void checkDriver(String property, Errors errors) {
    if (url == null) {
      if (!HAS_DETAILS) {
        errors.rejectValue(property + ".url", "missing", "must be given");
      }
      return;
    }
    try {
      DriverManager.getDriver(url);
    } catch (SQLException _) {
      errors.rejectValue(
          property + ".url",
          "driver",
          "no JDBC driver on the class path accepts this URL; for"
              + " jdbc:postgresql://host:port/database add org.postgresql:postgresql");
    }
  }

  /** Omits the password, even if it is part of the URL. */
  @Override
  public String toString() {
    return username + (url == null ? "" : " at " + url.replaceFirst("[?;].*", ""));
  }

  /** Is loaded only if spring-boot-jdbc is on the class path. */
  private static final class OfApplication {

    static @Nullable String url(BeanFactory beans) {
      JdbcConnectionDetails details =
          beans.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
      return details == null ? null : details.getJdbcUrl();
    }
  }
}
