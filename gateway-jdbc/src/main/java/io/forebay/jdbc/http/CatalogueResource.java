/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.Catalogue;
import io.forebay.jdbc.catalogue.CatalogueInvalid;
import io.forebay.jdbc.catalogue.CatalogueViolation;
import io.forebay.jdbc.catalogue.Gateways;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.Audit;
import io.forebay.operations.OperatorCommands;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads and describes the catalogue. */
final class CatalogueResource {

  private static final Logger log = LoggerFactory.getLogger(CatalogueResource.class);

  private static final String ADMIN = "ADMIN";
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final LiveCatalogue catalogue;
  private final StatementGrants grants;
  private final Gateways gateways;
  private final OperatorCommands commands;
  private final Audit audit;

  CatalogueResource(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      OperatorCommands commands,
      Audit audit) {
    this.catalogue = catalogue;
    this.grants = grants;
    this.gateways = gateways;
    this.commands = commands;
    this.audit = audit;
  }

  /**
   * What changes is in the audit before it takes effect; what is refused is there, too.
   *
   * @throws Problem if the caller does not have the role of administrators, whatever the rules of
   *     the application say
   */
  void reload(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    if (!request.isUserInRole(ADMIN)) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This needs the role " + ADMIN);
    }
    Catalogue read;
    try {
      read =
          reload(
              Audit.Entry.allowed(
                  caller.actor(ADMIN, request), "catalogue.reload", "catalogue", ""));
    } catch (Unavailable e) {
      log.warn("Catalogue not reloaded; the previous catalogue stays active: {}", e.getMessage());
      throw new Problem(
              ProblemType.DATABASE_UNAVAILABLE,
              "The system database is unavailable, and no change is made without an audit entry;"
                  + " retry later")
          .retryAfter(RETRY);
    }
    JsonResponse.write(
        response,
        200,
        out -> {
          out.writeStartObject();
          out.writeNumberProperty("statements", read.entries().size());
          out.writeArrayPropertyStart("uncheckedGateways");
          gateways.names().stream()
              .filter(gateway -> !read.isChecked(gateway))
              .forEach(out::writeString);
          out.writeEndArray();
          out.writeEndObject();
        });
  }

  private Catalogue reload(Audit.Entry command) {
    try {
      return catalogue.reload(
          gateways.names(), gateways, change -> audit.record(command.changing(change)));
    } catch (CatalogueInvalid e) {
      log.warn("Catalogue not reloaded; the previous catalogue stays active: {}", e.getMessage());
      int errors = e.violations().size();
      throw refused(command, errors == 1 ? "1 error" : errors + " errors")
          .with("errors", e.violations().stream().map(Violation::of).toList());
    } catch (UncheckedIOException e) {
      log.warn("Catalogue not reloaded; the previous catalogue stays active", e);
      throw refused(command, "it cannot be read");
    } catch (Unavailable e) {
      throw e;
    } catch (RuntimeException e) {
      audit.record(command.failed(e));
      throw e;
    }
  }

  private Problem refused(Audit.Entry command, String why) {
    audit.record(command.withOutcome("failed: " + why));
    return new Problem(
        ProblemType.CATALOGUE_INVALID,
        "Catalogue not reloaded: %s; the previous catalogue stays active".formatted(why));
  }

  private record Violation(String place, String statement, String message) {

    static Violation of(CatalogueViolation violation) {
      return new Violation(
          violation.place().toString(), violation.statement(), violation.message());
    }
  }

  void openApi(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DoorCaller caller = DoorCaller.of(request);
    Catalogue current = catalogue.current();
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
