/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.access.CredentialsFile;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.FirstSteps;
import io.forebay.operations.SelfCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** What of a first start is still there: example statements, and credentials in a file. */
@Component
final class FirstTry implements FirstSteps, SelfCheck {

  private final Environment environment;
  private final Path credentials;
  private final Path catalogue;
  private final ObjectProvider<LiveCatalogue> statements;

  FirstTry(Environment environment, DataDirectory data, ObjectProvider<LiveCatalogue> statements) {
    this.environment = environment;
    this.statements = statements;
    credentials = new CredentialsFile(data.path()).path();
    catalogue = data.path().resolve(Welcome.CATALOGUE);
  }

  @Override
  public View now() {
    return new View(
        Files.exists(credentials) ? credentials : null,
        catalogue,
        Welcome.isOn(environment),
        Welcome.request(environment));
  }

  @Override
  public List<Result> run() {
    List<Result> results = new ArrayList<>();
    if (Files.exists(credentials)) {
      results.add(
          new Result(
              "first credentials",
              State.WARN,
              credentials + " has a token or password in plain text",
              Harm.ACCESS,
              "Delete the file when you have read it."));
    }
    results.add(statements());
    results.add(
        Welcome.hasNoGateway(environment)
            ? new Result(
                "gateways",
                State.WARN,
                "no gateway is configured: main uses the embedded database",
                Harm.UNFINISHED,
                "Configure forebay.gateways.<name> in application.yaml, and restart"
                    + " (docs/postgresql.md); nothing to do if the embedded database is enough.")
            : new Result("gateways", State.OK, "a gateway or a catalogue is configured"));
    return results;
  }

  private Result statements() {
    String found = null;
    if (Welcome.isOn(environment)) {
      found = "no catalogue is configured: the examples notes.add and notes.list are in use";
    } else if (statements.stream().allMatch(it -> it.current().catalogue().entries().isEmpty())) {
      found = "the catalogue is missing or empty: the HTTP door accepts no statement";
    }
    return found == null
        ? new Result("statements", State.OK, "those of your catalogue")
        : new Result(
            "statements",
            State.WARN,
            found,
            Harm.UNFINISHED,
            "Define your statements in %s, and restart (docs/door.md).".formatted(catalogue));
  }
}
