/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.Catalogue;
import io.forebay.jdbc.catalogue.CatalogueInvalid;
import io.forebay.jdbc.catalogue.CatalogueViolation;
import io.forebay.jdbc.catalogue.CheckedCatalogue;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.OperatorCommands;
import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads and describes the catalogue. */
final class CatalogueResource {

  private static final Logger log = LoggerFactory.getLogger(CatalogueResource.class);

  private static final String ADMIN = "ADMIN";

  private final LiveCatalogue catalogue;
  private final StatementGrants grants;
  private final Gateways gateways;
  private final OperatorCommands commands;

  CatalogueResource(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      OperatorCommands commands) {
    this.catalogue = catalogue;
    this.grants = grants;
    this.gateways = gateways;
    this.commands = commands;
  }

  /**
   * @throws HttpProblem if the caller does not have the role of administrators, whatever the rules
   *     of the application say
   */
  void reload(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller.of(request);
    if (!request.isUserInRole(ADMIN)) {
      throw new HttpProblem(ProblemType.NOT_PERMITTED, "This needs the role " + ADMIN);
    }
    CheckedCatalogue read;
    try {
      read = catalogue.reload(gateways.names(), gateways);
    } catch (CatalogueInvalid e) {
      log.warn("Catalogue not reloaded; the previous catalogue stays active: {}", e.getMessage());
      throw new HttpProblem(
              ProblemType.CATALOGUE_INVALID,
              "Catalogue not reloaded: %d errors; the previous catalogue stays active"
                  .formatted(e.violations().size()))
          .with("errors", e.violations().stream().map(Violation::of).toList());
    } catch (UncheckedIOException e) {
      log.warn("Catalogue not reloaded; the previous catalogue stays active", e);
      throw new HttpProblem(
          ProblemType.CATALOGUE_INVALID,
          "Catalogue not reloaded: it cannot be read; the previous catalogue stays active");
    }
    JsonResponse.write(
        response,
        200,
        out -> {
          out.writeStartObject();
          out.writeNumberProperty("statements", read.catalogue().entries().size());
          out.writeArrayPropertyStart("uncheckedGateways");
          gateways.names().stream()
              .filter(gateway -> !read.checked().contains(gateway))
              .forEach(out::writeString);
          out.writeEndArray();
          out.writeEndObject();
        });
  }

  private record Violation(String place, String statement, String message) {

    static Violation of(CatalogueViolation violation) {
      return new Violation(
          violation.place().toString(), violation.statement(), violation.message());
    }
  }

  void openApi(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    Catalogue current = catalogue.current().catalogue();
    JsonResponse.write(
        response,
        OpenApi.document(
            current.entries().stream()
                .filter(entry -> grants.maySend(caller.principal(), entry.name()))
                .toList(),
            commands.all().stream()
                .filter(it -> it.roles().stream().anyMatch(request::isUserInRole))
                .toList()));
  }
}
