/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.springframework.validation.Errors;

/**
 * How to connect to a database.
 *
 * @param url JDBC URL; required.
 * @param username Role to connect as; required.
 * @param password Password of the role, preferably from a file or the environment; required, may be
 *     empty.
 */
public record DatabaseLogin(
    @NotBlank String url,
    @NotBlank String username,
    @NotNull(message = "must be given; empty if the role logs in without one") String password) {

  /**
   * Rejects a URL that no driver accepts; otherwise the gateway would wait for that database for
   * ever.
   */
  public void checkDriver(String property, Errors errors) {
    if (url == null || url.isBlank()) {
      return; // rejected by its own constraint
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
    return username + " at " + url.replaceFirst("[?;].*", "");
  }
}
