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
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;
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
   * @param property where this login is configured
   * @throws StartRefused if there is neither
   */
  public String url(String property, BeanFactory beans) {
    String found = url;
    if (found == null && HAS_DETAILS) {
      found = Details.url(property, beans);
    }
    if (found == null) {
      found = beans.getBean(Environment.class).getProperty("spring.datasource.url");
    }
    if (found == null) {
      throw new StartRefused(
          property + ".url must be given, unless spring.datasource.url is (docs/start.md)");
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
  private static final class Details {

    /** Spring Boot's own details have a database in memory if its property is missing. */
    private static final String OF_PROPERTIES = "PropertiesJdbcConnectionDetails";

    static @Nullable String url(String property, BeanFactory beans) {
      ObjectProvider<JdbcConnectionDetails> all =
          beans.getBeanProvider(JdbcConnectionDetails.class);
      JdbcConnectionDetails details = all.getIfUnique();
      if (details == null && all.stream().findAny().isPresent()) {
        throw new StartRefused(
            property + ".url must be given, because there are several beans JdbcConnectionDetails");
      }
      return details == null || details.getClass().getSimpleName().equals(OF_PROPERTIES)
          ? null
          : details.getJdbcUrl();
    }
  }
}
