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
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

/** Reloads and describes the catalogue. */
@ForebayController
final class CatalogueController {

  private static final Logger log = LoggerFactory.getLogger(CatalogueController.class);

  private static final String ADMIN = "ADMIN";

  private final LiveCatalogue catalogue;
  private final StatementGrants grants;
  private final Gateways gateways;
  private final OperatorCommands commands;
  private final Audit audit;

  CatalogueController(
      LiveCatalogue catalogue,
      StatementGrants grants,
      Gateways gateways,
      ObjectProvider<OperatorCommands> commands,
      ObjectProvider<Audit> audit) {
    this.catalogue = catalogue;
    this.grants = grants;
    this.gateways = gateways;
    this.commands = commands.getIfAvailable(() -> new OperatorCommands(List.of()));
    this.audit = audit.getIfAvailable(Audit::none);
  }

  /**
   * What changes is in the audit before it takes effect; what is refused is there, too.
   *
   * @throws Problem if the caller does not have the role of administrators, whatever the rules of
   *     the application say
   */
  @PostMapping("/api/v1/catalogue/reload")
  void reload(
      @Nullable Principal principal, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    if (!request.isUserInRole(ADMIN)) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This needs the role " + ADMIN);
    }
    Catalogue read =
        reload(
            Audit.Entry.allowed(caller.actor(ADMIN, request), "catalogue.reload", "catalogue", ""));
    JsonDocuments.write(
        response,
        200,
        new Reloaded(
            read.entries().size(),
            gateways.names().stream().filter(it -> !read.isChecked(it)).toList()));
  }

  private record Reloaded(int statements, List<String> uncheckedGateways) {}

  private Catalogue reload(Audit.Entry command) {
    try {
      return catalogue.reload(gateways, change -> audit.record(command.changing(change)));
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

  @GetMapping("/api/v1/openapi.json")
  void openApi(
      @Nullable Principal principal, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    DoorCaller caller = DoorCaller.of(principal);
    Catalogue current = catalogue.current();
    JsonDocuments.write(
        response,
        200,
        OpenApi.document(
            current.entries().stream()
                .filter(entry -> grants.maySend(caller.principal(), entry.name()))
                .toList(),
            commands.all().stream()
                .filter(it -> it.roles().stream().anyMatch(request::isUserInRole))
                .toList()));
  }
}
