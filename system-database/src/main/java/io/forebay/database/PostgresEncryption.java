/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.operations.Loopback;
import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.Result;
import io.forebay.operations.SelfCheck.State;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.jdbc.SslMode;
import org.postgresql.util.PSQLException;

/**
 * Whether the connections of a URL are encrypted and to the right server. Needs the driver of
 * PostgreSQL.
 *
 * @param text contains nothing of the URL but its {@code sslmode}
 */
record PostgresEncryption(State state, String text) {

  private static final String CHANGE = "Set sslmode=verify-full in the URL.";

  Result named(String check) {
    return state == State.OK
        ? new Result(check, state, text)
        : new Result(check, state, text, Harm.ACCESS, CHANGE);
  }

  /** Empty if this is no URL of PostgreSQL. */
  static Optional<PostgresEncryption> of(@Nullable String url) {
    if (url == null || !url.startsWith("jdbc:postgresql:")) {
      return Optional.empty();
    }
    Properties properties = Driver.parseURL(url, new Properties());
    if (properties == null) {
      return Optional.empty();
    }
    String hosts = PGProperty.PG_HOST.getOrDefault(properties);
    if (hosts == null || hosts.isEmpty() || Loopback.areAll(hosts)) {
      return Optional.of(new PostgresEncryption(State.OK, "the server is on this host"));
    }
    try {
      SslMode mode = SslMode.of(properties);
      return Optional.of(of(mode, PGProperty.SSL_FACTORY.getOrDefault(properties)));
    } catch (PSQLException e) {
      return Optional.of(
          new PostgresEncryption(State.FAILED, "the driver does not know the sslmode"));
    }
  }

  private static PostgresEncryption of(SslMode mode, @Nullable String factory) {
    String text = "sslmode is " + mode.value;
    if (!mode.requireEncryption()) {
      return new PostgresEncryption(
          State.WARN, text + ": the password and all data may cross the network in plain text");
    }
    if (!mode.verifyCertificate() || factory != null && factory.contains("NonValidating")) {
      return new PostgresEncryption(
          State.WARN, text + ": encrypted, but the server's certificate is not checked");
    }
    return mode.verifyPeerName()
        ? new PostgresEncryption(State.OK, text + ": encrypted, to a server of this name")
        : new PostgresEncryption(
            State.WARN,
            text + ": encrypted, but to any server with a certificate of this authority");
  }
}
