/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.DatabaseLogin;
import io.forebay.operations.SelfCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks that gateways log in to their servers with a password or a certificate. */
final class LoginSelfCheck implements SelfCheck {

  private static final Pattern SERVER = Pattern.compile("jdbc:(?!hsqldb:).*");
  private static final Pattern OTHER_PROOF = Pattern.compile("[?&](password|sslcert)=");

  private final Map<String, GatewaysProperties.Gateway> gateways;

  LoginSelfCheck(Map<String, GatewaysProperties.Gateway> gateways) {
    this.gateways = gateways;
  }

  @Override
  public List<Result> run() {
    List<Result> results = new ArrayList<>();
    gateways.forEach((name, gateway) -> {
      add(results, name, "datasource", gateway.datasource());
      add(results, name, "owner", gateway.owner());
    });
    return results;
  }

  private static void add(
      List<Result> results, String gateway, String login, @Nullable DatabaseLogin found) {
    if (found == null || !SERVER.matcher(found.url()).matches()) {
      return;
    }
    String check = "login of gateway %s (%s)".formatted(gateway, login);
    results.add(
        found.password().isEmpty() && !OTHER_PROOF.matcher(found.url()).find()
            ? new Result(
                check,
                State.WARN,
                "no password: the server accepts role %s from everyone its rules (pg_hba.conf) trust"
                    .formatted(found.username()),
                Harm.ACCESS,
                "Give the role a password, set forebay.gateways.%s.%s.password, and use scram-sha-256 in pg_hba.conf."
                    .formatted(gateway, login))
            : new Result(check, State.OK, "with a password or certificate"));
  }
}
